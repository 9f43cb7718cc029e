"""Records of the topic of invalid records; each fits into the topic, whatever the source record."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.statements import JSON_OPTIONS, origin_headers

# Maximum bytes of a value in the record; the whole value is at its offset in the source topic.
RAW_BYTES = 128 * 1024
# Maximum characters of a detail: it may contain names that are as long as the record.
DETAIL_CHARACTERS = 2000
# Maximum bytes of a character in JSON: a control character as \\uXXXX.
ESCAPED = 6
# Bytes reserved for other members of the value and for headers, each with a topic name.
REST_BYTES = 2048
# Minimum max.message.bytes of the topic, for an invalid record of minimum size.
LEAST_BYTES = 4096
# The same without the overhead of a batch.
LEAST_ROOM = LEAST_BYTES - 200
# Kafka's default of max.message.bytes without the overhead of a batch.
DEFAULT_ROOM = 1_048_000
# Fraction of the room that the key may use: 1/5.
KEY_PART = 5


@dataclass(frozen=True)
class RecordOrigin:
    """Origin of a record; the timestamp is in milliseconds since 1970."""

    topic: Column
    partition: Column
    offset: Column
    timestamp: Column

    @classmethod
    def of_columns(cls) -> "RecordOrigin":
        """Return the origin from RECORD_COLUMNS."""
        timestamp = F.unix_millis("_timestamp")
        return cls(F.col("_topic"), F.col("_partition"), F.col("_offset"), timestamp)

    @classmethod
    def of_headers(cls, headers: Column) -> "RecordOrigin":
        """Return the origin from the headers that an output appends to a record's own."""

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
    def of_own(cls, headers: Column) -> "RecordOrigin":
        """Return the origin from headers that begin with the origin's, in fixed order."""

        def header(place: int) -> Column:
            return F.get(headers, F.lit(place))["value"].cast("string")

        return cls(
            header(0),
            header(1).try_cast("int"),
            header(2).try_cast("long"),
            header(3).try_cast("long"),
        )

    @classmethod
    def unknown(cls) -> "RecordOrigin":
        """Return an origin of nulls, for an aggregate over many records."""
        return cls(
            F.lit(None).cast("string"),
            F.lit(None).cast("int"),
            F.lit(None).cast("long"),
            F.lit(None).cast("long"),
        )


def invalid_records(rejected: DataFrame, room: int | None = None) -> DataFrame:
    """Return key of the source record, JSON value, and the origin headers of every output.

    ``room``: maximum bytes of key, value and headers; None: Kafka's default.
    """
    key, value = invalid_message(
        reason=F.col("_reason"),
        detail=F.col("_detail"),
        place=RecordOrigin.of_columns(),
        raw=F.col("_raw"),
        key=F.col("_key"),
        room=room,
    )
    return rejected.select(key.alias("key"), value.alias("value"), origin_headers())


def invalid_message(
    *,
    reason: Column,
    detail: Column,
    place: RecordOrigin,
    raw: Column,
    key: Column,
    room: int | None = None,
    output: str | None = None,
) -> tuple[Column, Column]:
    """Return key and JSON value of an invalid record of at most ``room`` bytes.

    The value: reason, detail, topic, partition, offset, timestamp (ms since 1970), raw and its
    encoding, ``utf-8`` or ``base64``. ``raw`` is truncated to fit; ``raw_bytes`` is the full
    length. A key that does not fit is left out, and ``key_bytes`` is its length. With ``output``,
    ``raw`` is the value of this output's row, not of a source record.
    """
    room = max(room or DEFAULT_ROOM, LEAST_ROOM)
    most_of_key = (room - REST_BYTES) // KEY_PART
    characters = min(DETAIL_CHARACTERS, (room - REST_BYTES) // (4 * ESCAPED))
    key_fits = F.coalesce(F.octet_length(key) <= most_of_key, F.lit(True))
    left = room - REST_BYTES - most_of_key - ESCAPED * characters
    kept = F.substring(raw, 1, min(RAW_BYTES, left // ESCAPED))
    # Text that is truncated in the middle of a character is encoded as base64.
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


def invalid_headers(place: RecordOrigin) -> Column:
    """Return the headers with the origin of a record, which every output adds."""
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
