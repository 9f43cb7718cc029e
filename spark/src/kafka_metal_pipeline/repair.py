"""Invalid records back into their topic, once they have been repaired. Knows no topic and no path.

A record goes back when what the repair makes of it is an event that the declaration accepts. It
carries where it was first, and one that is there already does not come again: the command may be
repeated, with another repair for what is left.
"""

from dataclasses import dataclass

from kafka_metal_declarations.model import Declaration
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.formats import format_of
from kafka_metal_pipeline.transforms import accepted_records, is_accepted, parse, reason_of

MESSAGE = (
    "reason STRING, topic STRING, partition INT, offset LONG, timestamp LONG, raw STRING, "
    "raw_encoding STRING, raw_bytes LONG, output STRING"
)
PLACE = ("topic", "partition", "offset")
# What the expressions of a repair see.
MESSAGE_COLUMNS = (*PLACE, "reason", "timestamp", "key", "raw", "is_cut")
HEADER = "repaired."
# Only the beginning of such a value was kept: the whole is at its place in the source topic.
CUT = "cut"


@dataclass(frozen=True)
class Repair:
    """``sendable`` has key, value and headers; ``left`` has PLACE and ``reason``."""

    sendable: DataFrame
    left: DataFrame


def messages(records: DataFrame) -> DataFrame:
    """What records of an invalid topic tell: PLACE, reason, timestamp, key, raw (binary), is_cut.

    A record that was rejected more than once is there once.
    """
    told = F.from_json(F.col("value").cast("string"), MESSAGE).alias("_told")
    rows = records.select("key", told).select("key", "_told.*").where(F.col("offset").isNotNull())
    # Of a row that was too large for its topic, the source's record is no invalid one.
    rows = rows.where(F.col("output").isNull())
    text, encoding = F.col("raw"), F.col("raw_encoding")
    raw = F.when(encoding == "base64", F.unbase64(text)).otherwise(F.encode(text, "UTF-8"))
    # Only the beginning of a large value was kept.
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
    """PLACE of the records of a topic, read with headers, that are repaired ones."""

    def header(name: str) -> Column:
        found = F.filter("headers", lambda each: each["key"] == f"{HEADER}{name}")
        return F.get(found, F.lit(0))["value"].cast("string")

    return records.select(
        header("topic").alias("topic"),
        header("partition").cast("int").alias("partition"),
        header("offset").cast("long").alias("offset"),
    ).where(F.col("topic").isNotNull())


def too_large(sendable: DataFrame) -> DataFrame:
    """PLACE and ``reason`` of repaired records that their topic does not take."""

    def header(place: int, kind: str) -> Column:
        return F.col("headers")[place]["value"].cast("string").cast(kind)

    kinds = zip(PLACE, ("string", "int", "bigint"), strict=True)
    places = [header(n, kind).alias(name) for n, (name, kind) in enumerate(kinds)]
    return sendable.select(*places, F.lit("too_large").alias("reason"))


def repaired(
    found: DataFrame, sent: DataFrame, declaration: Declaration, expression: str, condition: str
) -> Repair:
    """What can go back and what cannot.

    ``expression`` makes the new value of ``raw``, the old one, which is text where the format is,
    and may use PLACE, reason and timestamp; ``condition`` says which messages it is for.
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
        reason_of(source, rules).alias("reason"),
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
