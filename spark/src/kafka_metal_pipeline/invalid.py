"""Records of the invalid topic. Each fits into it, whatever it tells of."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.statements import JSON_OPTIONS, origin_headers

# Bytes of a value that are kept. The whole value stays at its offset in the source topic.
RAW_BYTES = 128 * 1024
# Characters of a sentence that are kept: names in a record can be as long as the record.
DETAIL_CHARACTERS = 2000
# Most bytes of a character in JSON: a control character's.
ESCAPED = 6
# Bytes of the other members of the value, and of the headers. Each holds a topic's name.
REST_BYTES = 2048
# A topic whose records may have fewer bytes cannot take what is told of an invalid record.
LEAST_BYTES = 4096
# The same less the frame of a batch.
LEAST_ROOM = LEAST_BYTES - 200
# What Kafka takes by default, less the frame of a batch.
DEFAULT_ROOM = 1_048_000
# The key of a record may take this part of its room.
KEY_PART = 5


@dataclass(frozen=True)
class Place:
    """Where a record came from; the timestamp is in milliseconds since 1970."""

    topic: Column
    partition: Column
    offset: Column
    timestamp: Column

    @classmethod
    def of_columns(cls) -> "Place":
        """By RECORD_COLUMNS."""
        timestamp = F.unix_millis("_timestamp")
        return cls(F.col("_topic"), F.col("_partition"), F.col("_offset"), timestamp)

    @classmethod
    def of_headers(cls, headers: Column) -> "Place":
        """By the headers that an output adds to a record's own, after them."""

        def header(name: str) -> Column:
            found = F.filter(headers, lambda each: each["key"] == f"source.{name}")
            return F.try_element_at(found, F.lit(-1))["value"].cast("string")

        return cls(
            header("topic"),
            header("partition").try_cast("int"),
            header("offset").try_cast("long"),
            header("timestamp").try_cast("long"),
        )

    @classmethod
    def of_own(cls, headers: Column) -> "Place":
        """By headers that begin with those, in their order."""

        def header(place: int) -> Column:
            return F.get(headers, F.lit(place))["value"].cast("string")

        return cls(
            header(0),
            header(1).try_cast("int"),
            header(2).try_cast("long"),
            header(3).try_cast("long"),
        )

    @classmethod
    def unknown(cls) -> "Place":
        """Of an aggregate, which is made of many records."""
        return cls(
            F.lit(None).cast("string"),
            F.lit(None).cast("int"),
            F.lit(None).cast("long"),
            F.lit(None).cast("long"),
        )


def invalid_records(rejected: DataFrame, room: int | None = None) -> DataFrame:
    """Key of the source's record, JSON value, and the headers that any output has.

    ``room`` is the most bytes of key, value and headers; None: what Kafka takes by default.
    """
    key, value = message_of(
        reason=F.col("_reason"),
        detail=F.col("_detail"),
        place=Place.of_columns(),
        raw=F.col("_raw"),
        key=F.col("_key"),
        room=room,
    )
    return rejected.select(key.alias("key"), value.alias("value"), origin_headers())


def message_of(
    *,
    reason: Column,
    detail: Column,
    place: Place,
    raw: Column,
    key: Column,
    room: int | None = None,
    output: str | None = None,
) -> tuple[Column, Column]:
    """Key and JSON value of a record of the invalid topic, ``room`` bytes at most.

    The value: reason, detail, topic, partition, offset, timestamp (ms since 1970), raw, and how raw
    is encoded: ``utf-8`` or ``base64``. ``raw_bytes`` is the length of the whole value. ``raw`` is
    cut where it would not fit. A key that would not fit is left out, and ``key_bytes`` is its
    length. ``output`` says that ``raw`` is the value of this output's row, not of a record.
    """
    room = max(room or DEFAULT_ROOM, LEAST_ROOM)
    most_of_key = (room - REST_BYTES) // KEY_PART
    characters = min(DETAIL_CHARACTERS, (room - REST_BYTES) // (4 * ESCAPED))
    key_fits = F.coalesce(F.octet_length(key) <= most_of_key, F.lit(True))
    left = room - REST_BYTES - most_of_key - ESCAPED * characters
    kept = F.substring(raw, 1, min(RAW_BYTES, left // ESCAPED))
    # Cut in the middle of a character, text goes as base64 too.
    is_text = F.is_valid_utf8(kept.cast("string"))
    members = [
        reason.alias("reason"),
        F.substring(detail, 1, characters).alias("detail"),
        place.topic.alias("topic"),
        place.partition.alias("partition"),
        place.offset.alias("offset"),
        place.timestamp.alias("timestamp"),
        F.when(is_text, kept.cast("string")).otherwise(F.base64(kept)).alias("raw"),
        F.when(is_text, "utf-8").when(kept.isNotNull(), "base64").alias("raw_encoding"),
        F.octet_length(raw).alias("raw_bytes"),
        F.when(~key_fits, F.octet_length(key)).alias("key_bytes"),
    ]
    if output is not None:
        members.append(F.lit(output).alias("output"))
    return F.when(key_fits, key), F.to_json(F.struct(*members), JSON_OPTIONS)


def headers_of(place: Place) -> Column:
    """The headers that every output adds: where a record came from."""
    named = {
        "source.topic": place.topic,
        "source.partition": place.partition,
        "source.offset": place.offset,
        "source.timestamp": place.timestamp,
    }
    return F.array(
        *(
            F.struct(F.lit(name).alias("key"), value.cast("string").cast("binary").alias("value"))
            for name, value in named.items()
        )
    )
