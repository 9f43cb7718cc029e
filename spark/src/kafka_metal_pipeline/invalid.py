"""Rejected records as records of the invalid topic."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.statements import JSON_OPTIONS, origin_headers

# Bytes of a value that are kept. A control character takes six bytes in JSON: more would not fit
# into a record of one MiB, Kafka's limit. The whole value stays at its offset in the source topic.
RAW_BYTES = 128 * 1024


def invalid_records(rejected: DataFrame) -> DataFrame:
    """Key of the source's record, JSON value, and the headers that any output has.

    The value: reason, detail, topic, partition, offset, timestamp (ms since 1970), raw, and how raw
    is encoded: ``utf-8`` or ``base64``. ``raw_bytes`` is the length of the whole value.
    """
    raw = F.substring(F.col("_raw"), 1, RAW_BYTES)
    # Cut in the middle of a character, text goes as base64 too.
    is_text = F.is_valid_utf8(raw.cast("string"))
    value = F.struct(
        F.col("_reason").alias("reason"),
        F.col("_detail").alias("detail"),
        F.col("_topic").alias("topic"),
        F.col("_partition").alias("partition"),
        F.col("_offset").alias("offset"),
        F.unix_millis("_timestamp").alias("timestamp"),
        F.when(is_text, raw.cast("string")).otherwise(F.base64(raw)).alias("raw"),
        F.when(is_text, "utf-8").when(raw.isNotNull(), "base64").alias("raw_encoding"),
        F.octet_length("_raw").alias("raw_bytes"),
    )
    return rejected.select(
        F.col("_key").alias("key"),
        F.to_json(value, JSON_OPTIONS).alias("value"),
        origin_headers(),
    )
