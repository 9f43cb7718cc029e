"""Whether Spark takes a declaration's rules, statements and keys; reads and writes nothing."""

from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import queries, session, streams
from kafka_metal_pipeline.ddl import HEADERS
from kafka_metal_pipeline.model import Declaration


def problem_of(declaration: Declaration) -> str | None:
    """What is wrong, as a sentence; None when the statements can be run."""
    local = replace(declaration.site, master="local[1]", event_log_dir=None)
    spark = session.connect(replace(declaration, site=local))
    try:
        queries.flows(no_records(spark), declaration)
    except queries.StatementError as error:
        return str(error)
    return None


def no_records(spark: SparkSession) -> DataFrame:
    """Records of a topic that has none."""
    return spark.createDataFrame([], f"{streams.RECORD}, headers {HEADERS}")
