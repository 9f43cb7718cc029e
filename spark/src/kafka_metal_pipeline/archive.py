"""The archive: Parquet files that hold every row exactly once.

Spark lists the files of each batch in ``_spark_metadata`` and a reader that follows the list sees
every row once, whenever the driver died. A driver that is killed leaves files that no list names,
whole ones and some of zero bytes: Spark does not read them, other readers have to follow the list
too. Nothing here deletes: to tell such a file from one being written needs the writer.
"""

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafka_metal_pipeline.model import Output

SINK_LOG = "_spark_metadata"


def to_archive(rows: DataFrame, output: Output, location: str) -> DataStreamWriter:
    """Append rows below ``location``, a folder for each value of the partition columns."""
    writer = rows.writeStream.format("parquet").option("path", location)
    writer = writer.option("compression", "zstd")
    return writer.partitionBy(*output.partition_by) if output.partition_by else writer
