"""Repair of invalid records and their way back to the source topic.

A record is sent back if its repaired value is an event that the declaration accepts. It has its
original place in headers, and a record that was sent before is not sent again. So the command can
be repeated, with another repair for the remaining records.
"""

from dataclasses import dataclass

from kafka_metal_declarations.model import Declaration
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.formats import format_of
from kafka_metal_pipeline.transforms import accepted_records, is_accepted, parse, rejection_reason

MESSAGE = (
    "reason STRING, topic STRING, partition INT, offset LONG, timestamp LONG, raw STRING, "
    "raw_encoding STRING, raw_bytes LONG, output STRING"
)
PLACE = ("topic", "partition", "offset")
# Columns that the expressions of a repair may use.
MESSAGE_COLUMNS = (*PLACE, "reason", "timestamp", "key", "raw", "is_cut")
HEADER = "repaired."
# Reason for values of which only the beginning is stored; the source topic has the whole value.
CUT = "cut"


@dataclass(frozen=True)
class Repair:
    """``sendable`` has key, value and headers; ``left`` (not sent) has PLACE and ``reason``."""

    sendable: DataFrame
    left: DataFrame


def messages(records: DataFrame) -> DataFrame:
    """Return the invalid records: PLACE, reason, timestamp, key, raw (binary), is_cut.

    A record that was rejected more than once is returned once.
    """
    parsed = F.from_json(F.col("value").cast("string"), MESSAGE).alias("_message")
    rows = records.select("key", parsed).select("key", "_message.*")
    rows = rows.where(F.col("offset").isNotNull())
    # Excludes rows that were too large for their topic: their source records are valid.
    rows = rows.where(F.col("output").isNull())
    text, encoding = F.col("raw"), F.col("raw_encoding")
    raw = F.when(encoding == "base64", F.unbase64(text)).otherwise(F.encode(text, "UTF-8"))
    # Large values are truncated in the message.
    is_cut = F.coalesce(F.length("_raw") < F.col("raw_bytes"), F.lit(False))
    return (
        rows.withColumn("_raw", raw)
        .select(
            *PLACE,
            "reason",
            F.timestamp_millis("timestamp").alias("timestamp"),
            "key",
            F.col("_raw").alias("raw"),
            is_cut.alias("is_cut"),
        )
        .dropDuplicates(list(PLACE))
    )


def sent_before(records: DataFrame) -> DataFrame:
    """Return PLACE of the repaired records in a topic, which was read with headers."""

    def header(name: str) -> Column:
        found = F.filter("headers", lambda each: each["key"] == f"{HEADER}{name}")
        return F.get(found, F.lit(0))["value"].cast("string")

    return records.select(
        header("topic").alias("topic"),
        header("partition").cast("int").alias("partition"),
        header("offset").cast("long").alias("offset"),
    ).where(F.col("topic").isNotNull())


def too_large(sendable: DataFrame) -> DataFrame:
    """Return PLACE and ``reason`` of repaired records that are too large for their topic."""

    def header(place: int, kind: str) -> Column:
        return F.col("headers")[place]["value"].cast("string").cast(kind)

    kinds = zip(PLACE, ("string", "int", "bigint"), strict=True)
    places = [header(n, kind).alias(name) for n, (name, kind) in enumerate(kinds)]
    return sendable.select(*places, F.lit("too_large").alias("reason"))


def repair_records(
    found: DataFrame, sent: DataFrame, declaration: Declaration, expression: str, condition: str
) -> Repair:
    """Return the records that can be sent back, and the remaining ones.

    ``expression`` computes the new value from ``raw``, the old one (text for text formats), PLACE,
    reason and timestamp; ``condition`` selects messages.
    """
    source, rules = declaration.source, declaration.rules
    if source.format != "bytes" and format_of(source).is_text:
        found = found.withColumn("raw", F.col("raw").cast("string"))
    waiting = found.where(condition).join(F.broadcast(sent), list(PLACE), "left_anti")
    value = F.expr(expression).cast("binary")
    whole = waiting.where(~F.col("is_cut"))
    records = whole.select("key", value.alias("value"), *PLACE, "timestamp")
    parsed = parse(records, source)
    left = parsed.where(~is_accepted(source, rules)).select(
        *(F.col(f"_{name}").alias(name) for name in PLACE),
        rejection_reason(source, rules).alias("reason"),
    )
    cut = waiting.where(F.col("is_cut")).select(*PLACE, F.lit(CUT).alias("reason"))
    headers = F.array(
        *(
            F.struct(
                F.lit(f"{HEADER}{name}").alias("key"),
                F.col(f"_{name}").cast("string").cast("binary").alias("value"),
            )
            for name in PLACE
        )
    )
    sendable = accepted_records(parsed, source, rules).select(
        F.col("_key").alias("key"), F.col("_raw").alias("value"), headers.alias("headers")
    )
    return Repair(sendable, left.unionByName(cut))
