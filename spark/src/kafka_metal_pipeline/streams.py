"""Topics as streams and as batches: the only file that knows Kafka."""

import json
from collections.abc import Callable
from typing import Any

from kafka_metal_declarations.ddl import HEADERS, RECORD_COLUMNS
from kafka_metal_declarations.model import Declaration, Site, Starting
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

from kafka_metal_pipeline.brokers import settings
from kafka_metal_pipeline.sizes import java_options

# Columns of a record as Spark's source of Kafka has them; headers are there where they are wanted.
RECORD = (
    "key BINARY, value BINARY, topic STRING, partition INT, offset LONG, timestamp TIMESTAMP, "
    "timestampType INT"
)
# Of images/spark/reading: Spark's source, for queries that read together.
SHARED = "metal.kafka.spark.SharedTopic"
# A stream for one of them: the most records of one batch, and whether the others wait for it.
Share = Callable[[int, bool], DataFrame]

# Small batches cost most of a sink's CPU: with these, 230,000 records/s instead of 144,000.
PRODUCER = {"linger.ms": "50", "batch.size": "262144", "compression.type": "lz4"}
# What a producer has taken back never was.
CONSUMER = {"isolation.level": "read_committed"}
# What an archive of whole records has, beside the folders' columns.
ARCHIVED = (
    f"key BINARY, value BINARY, headers {HEADERS}, "
    "_topic STRING, _partition INT, _offset LONG, _timestamp TIMESTAMP"
)
# Files of an archive that one batch reads; each was one task's part of a batch.
FILES_PER_TRIGGER = 100


def records(
    spark: SparkSession,
    declaration: Declaration,
    starting: Starting | None = None,
    limit: int | None = None,
) -> DataFrame:
    """The source as a stream: key, value, topic, partition, offset, timestamp.

    ``starting`` is where a query without a checkpoint begins when not at ``source.starting``;
    ``limit`` the most records of one batch, None where there are no batches.
    """
    source = declaration.source
    if source.path:
        reader = spark.readStream.schema(ARCHIVED).option("maxFilesPerTrigger", FILES_PER_TRIGGER)
        return _archived(reader.parquet(_location(declaration)), declaration)
    return _stream(spark, "kafka", declaration, starting, limit).load()


def shared(spark: SparkSession, declaration: Declaration, judged: DataFrame, waited: int) -> Share:
    """The source as a stream for each of several queries that read it together.

    ``judged`` is made of records of RECORD, which stand for those of a batch; so many of the
    queries are waited for.
    """
    jvm: Any = spark._jvm
    reading = jvm.metal.kafka.spark.SharedTopic.register(judged._jdf, waited)

    def share(limit: int, is_waited_for: bool) -> DataFrame:
        stream = _stream(spark, SHARED, declaration, None, limit)
        return stream.options(reading=reading, waited=str(is_waited_for).lower()).load()

    return share


def _stream(
    spark: SparkSession,
    form: str,
    declaration: Declaration,
    starting: Starting | None,
    limit: int | None,
) -> DataStreamReader:
    reader = spark.readStream.format(form).options(**_source_options(declaration))
    if limit is not None:
        reader = reader.option("maxOffsetsPerTrigger", limit)
    return reader.option("startingOffsets", _places(starting or declaration.source.starting))


def stored(
    spark: SparkSession, declaration: Declaration, starting: Starting | None = None
) -> DataFrame:
    """The source as it is now: the same columns, once."""
    source = declaration.source
    if source.path:
        reader = spark.read.schema(ARCHIVED)
        return _archived(reader.parquet(_location(declaration)), declaration)
    reader = spark.read.format("kafka").options(**_source_options(declaration))
    return (
        reader.option("startingOffsets", _places(starting or source.starting))
        .option("endingOffsets", _places(source.ending))
        .load()
    )


def to_topic(rows: DataFrame, topic: str, site: Site, limits: list[int]) -> DataStreamWriter:
    """Rows of key, value and headers into a topic, each at least once.

    A row's own ``topic`` goes before ``topic``. ``limits`` are the bytes that a record may have.
    """
    return rows.writeStream.format("kafka").options(**_sink_options(rows, topic, site, limits))


def into_topic(rows: DataFrame, topic: str, site: Site, limits: list[int]) -> None:
    """The same at once."""
    rows.write.format("kafka").options(**_sink_options(rows, topic, site, limits)).save()


def client(site: Site, tuning: dict[str, str]) -> dict[str, str]:
    """Options of Spark's client; what the site says wins over our tuning."""
    return {f"kafka.{name}": value for name, value in settings(site, tuning).items()}


def _source_options(declaration: Declaration) -> dict[str, str]:
    source = declaration.source
    options = {
        **client(declaration.site, CONSUMER),
        "subscribe": ",".join(source.topics),
        "failOnDataLoss": str(source.on_data_loss == "fail").lower(),
        # Names groups so that an access rule can be given for them.
        "groupIdPrefix": f"kafka-metal-{declaration.name}",
    }
    return options | ({"includeHeaders": "true"} if source.format == "bytes" else {})


def _sink_options(rows: DataFrame, topic: str, site: Site, limits: list[int]) -> dict[str, str]:
    options = client(site, PRODUCER | java_options(limits))
    # Where the option is set, Spark passes over the column.
    return options if "topic" in rows.columns else {**options, "topic": topic}


def _location(declaration: Declaration) -> str:
    return f"{declaration.site.archive_root.rstrip('/')}/{declaration.source.path}"


def _archived(rows: DataFrame, declaration: Declaration) -> DataFrame:
    """Records of the declared topics with the names that a Kafka source gives its columns."""
    named = {name: name.removeprefix("_") for name in RECORD_COLUMNS}
    kept = rows.where(F.col("_topic").isin(*declaration.source.topics))
    columns: list[Any] = [F.col(name).alias(own) for name, own in named.items()]
    return kept.select("key", "value", "headers", *columns)


def _places(starting: Starting) -> str:
    return starting if isinstance(starting, str) else json.dumps(starting)
