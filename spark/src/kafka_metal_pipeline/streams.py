"""Spark streams and batches of topics and archives; the only module with Spark's Kafka options."""

import json
from typing import Any

from kafka_metal_declarations.ddl import HEADERS, RECORD_COLUMNS
from kafka_metal_declarations.model import Declaration, Site, Starting
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

from kafka_metal_pipeline.brokers import settings
from kafka_metal_pipeline.sizes import java_options

# Columns of Spark's Kafka source, without the optional headers.
RECORD = (
    "key BINARY, value BINARY, topic STRING, partition INT, offset LONG, timestamp TIMESTAMP, "
    "timestampType INT"
)
# From images/spark/reading: Spark's Kafka source, for queries that share a read.
SHARED = "metal.kafka.spark.SharedTopic"

# Small producer batches use most of a sink's CPU: with these, 230,000 records/s, before 144,000.
PRODUCER = {"linger.ms": "50", "batch.size": "262144", "compression.type": "lz4"}
# Records of aborted transactions are not read.
CONSUMER = {"isolation.level": "read_committed"}
# Columns of an archive of unparsed records, without those of its folders.
ARCHIVED = (
    f"key BINARY, value BINARY, headers {HEADERS}, "
    "_topic STRING, _partition INT, _offset LONG, _timestamp TIMESTAMP"
)
# Maximum files of an archive per batch; each was written by one task of a batch.
FILES_PER_TRIGGER = 100


def records(
    spark: SparkSession,
    declaration: Declaration,
    starting: Starting | None = None,
    limit: int | None = None,
) -> DataFrame:
    """Return the source as a stream: key, value, topic, partition, offset, timestamp.

    ``starting`` replaces ``source.starting`` for a query without a checkpoint; ``limit`` is the
    maximum number of records per batch, None for real-time queries.
    """
    source = declaration.source
    if source.path:
        reader = spark.readStream.schema(ARCHIVED).option("maxFilesPerTrigger", FILES_PER_TRIGGER)
        return _archived(reader.parquet(_location(declaration)), declaration)
    return _stream(spark, "kafka", declaration, starting, limit).load()


class SharedRead:
    """One read of the source for several queries."""

    def __init__(
        self, spark: SparkSession, declaration: Declaration, validated: DataFrame, waited: int
    ) -> None:
        """Register the read.

        ``validated`` is computed from an empty DataFrame of RECORD, and applied to every batch;
        ``waited`` is the number of queries that are waited for.
        """
        jvm: Any = spark._jvm
        self._topic = jvm.metal.kafka.spark.SharedTopic
        self._name = self._topic.register(validated._jdf, waited)
        self._spark, self._declaration = spark, declaration

    def stream(self, output: str, limit: int, is_waited_for: bool) -> DataFrame:
        """Return the stream of one query."""
        stream = _stream(self._spark, SHARED, self._declaration, None, limit).options(
            reading=self._name, output=output, waited=str(is_waited_for).lower()
        )
        return stream.load()

    def set_limit(self, output: str, limit: int) -> None:
        """Set the maximum records of the next batches of a running query."""
        self._topic.limit(self._name, output, limit)


def forget_shared_reads(spark: SparkSession) -> None:
    """Free the shared reads of queries that have stopped."""
    jvm: Any = spark._jvm
    jvm.metal.kafka.spark.SharedTopic.forget()


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


def stored_records(
    spark: SparkSession, declaration: Declaration, starting: Starting | None = None
) -> DataFrame:
    """Return the stored records of the source, with the columns of ``records``."""
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
    """Return a stream writer for key, value and headers to a topic, at least once.

    A row's column ``topic`` overrides ``topic``. ``limits`` are maximum record bytes.
    """
    return rows.writeStream.format("kafka").options(**_sink_options(rows, topic, site, limits))


def into_topic(rows: DataFrame, topic: str, site: Site, limits: list[int]) -> None:
    """Write key, value and headers to a topic, at least once; parameters as in ``to_topic``."""
    rows.write.format("kafka").options(**_sink_options(rows, topic, site, limits)).save()


def client_options(site: Site, tuning: dict[str, str]) -> dict[str, str]:
    """Return options for Spark's Kafka client; the site's options override ``tuning``."""
    return {f"kafka.{name}": value for name, value in settings(site, tuning).items()}


def _source_options(declaration: Declaration) -> dict[str, str]:
    source = declaration.source
    options = {
        **client_options(declaration.site, CONSUMER),
        "subscribe": ",".join(source.topics),
        "failOnDataLoss": str(source.on_data_loss == "fail").lower(),
        # A fixed prefix of the consumer groups, for ACLs.
        "groupIdPrefix": f"kafka-metal-{declaration.name}",
    }
    return options | ({"includeHeaders": "true"} if source.format == "bytes" else {})


def _sink_options(rows: DataFrame, topic: str, site: Site, limits: list[int]) -> dict[str, str]:
    options = client_options(site, PRODUCER | java_options(limits))
    # Spark ignores the column ``topic`` if the option is set.
    return options if "topic" in rows.columns else {**options, "topic": topic}


def _location(declaration: Declaration) -> str:
    return f"{declaration.site.archive_root.rstrip('/')}/{declaration.source.path}"


def _archived(rows: DataFrame, declaration: Declaration) -> DataFrame:
    """Return records of the declared topics, with the column names of Spark's Kafka source."""
    named = {name: name.removeprefix("_") for name in RECORD_COLUMNS}
    kept = rows.where(F.col("_topic").isin(*declaration.source.topics))
    columns: list[Any] = [F.col(name).alias(own) for name, own in named.items()]
    return kept.select("key", "value", "headers", *columns)


def _places(starting: Starting) -> str:
    return starting if isinstance(starting, str) else json.dumps(starting)
