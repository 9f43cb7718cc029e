"""Maximum record sizes: rows too large for their topic go to the topic of invalid records.

Brokers compare a batch of records with the topic's ``max.message.bytes``, and the client its own
estimate with ``max.request.size``. A single row above either would fail the query, and again after
every restart.
"""

from collections.abc import Mapping
from functools import reduce

from kafka_metal_declarations.model import Site
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.invalid import RecordOrigin, invalid_headers, invalid_message

REASON = "too_large"
REQUEST = "max.request.size"
# Bytes of a batch of one record without key, value and headers: at most 82 in Kafka's format.
FRAME_BYTES = 100
# Bytes of a header without its name and value: at most 10.
HEADER_BYTES = 10
# Divisor for the overhead of compressing incompressible bytes: LZ4 adds 4 bytes per 64 KiB.
INCOMPRESSIBLE = 8192
# Defaults of Kafka's and librdkafka's limits of a request and of the send buffer, in bytes.
LEAST_REQUEST, LEAST_BUFFER = 1_048_576, 33_554_432
LIBRDKAFKA_BATCH = 1_000_000


def usable_bytes(limit: int, site: Site) -> int:
    """Return the maximum bytes of a record in a topic.

    ``limit`` is the topic's ``max.message.bytes``; the site's ``kafka_options`` may lower it.
    """
    own = site.kafka_options.get(REQUEST)
    least = min(limit, int(own)) if own else limit
    return least - least // INCOMPRESSIBLE - FRAME_BYTES


def is_within_room(rows: DataFrame, room: int, own_headers: int | None = None) -> Column:
    """Whether key, value and headers of a row have at most ``room`` bytes; never null.

    ``own_headers`` is the number of headers if it is the same in each row: it avoids array
    functions, for which Spark generates no compiled code.
    """
    size = _bytes(F.col("key")) + _bytes(F.col("value"))
    if "headers" not in rows.columns:
        return size <= room
    headers = F.col("headers")
    if own_headers is None:
        counted = F.aggregate(headers, F.lit(0), lambda total, each: total + _header_bytes(each))
        return size + F.coalesce(counted, F.lit(0)) <= room
    each = (_header_bytes(F.get(headers, F.lit(place))) for place in range(own_headers))
    return size + reduce(Column.__add__, each, F.lit(0)) <= room


def split_by_size(
    rows: DataFrame,
    topic: str,
    invalid: str,
    site: Site,
    limits: Mapping[str, int],
    output: str,
    own_headers: int | None = None,
) -> DataFrame:
    """Return topic, key, value and headers: of each row for ``topic``, or if too large ``invalid``.

    ``limits`` has both topics. The invalid record has the beginning of the row's value.
    """
    limit = limits[topic]
    held = rows.select(*(_once(F.col(name)).alias(name) for name in rows.columns))
    marked = held.withColumn(
        "_fits", _once(is_within_room(held, usable_bytes(limit, site), own_headers))
    )
    has_headers = "headers" in rows.columns
    place = RecordOrigin.unknown()
    if has_headers:
        is_own = own_headers is not None
        place = (
            RecordOrigin.of_own(F.col("headers"))
            if is_own
            else RecordOrigin.of_headers(F.col("headers"))
        )
    detail = F.concat(
        F.lit(f"output {output}: the row's value has "),
        F.octet_length("value").cast("string"),
        F.lit(
            f" bytes; with key and headers it exceeds the {limit} bytes that "
            f"topic {topic} allows (max.message.bytes)"
        ),
    )
    key, value = invalid_message(
        reason=F.lit(REASON),
        detail=detail,
        place=place,
        raw=F.col("value").cast("binary"),
        key=F.col("key").cast("binary"),
        room=usable_bytes(limits[invalid], site),
        output=output,
    )

    def either(whole: Column, other: Column) -> Column:
        return F.when(F.col("_fits"), whole).otherwise(other)

    columns = [
        either(F.lit(topic), F.lit(invalid)).alias("topic"),
        either(F.col("key").cast("binary"), key).alias("key"),
        either(F.col("value").cast("binary"), value.cast("binary")).alias("value"),
    ]
    if has_headers:
        columns.append(either(F.col("headers"), invalid_headers(place)).alias("headers"))
    return marked.select(*columns)


def java_options(limits: list[int]) -> dict[str, str]:
    """Return options of Kafka's Java producer for topics with these limits."""
    if not limits:
        return {}
    largest = max(*limits, LEAST_REQUEST)
    return {
        REQUEST: str(largest),
        "buffer.memory": str(max(LEAST_BUFFER, 2 * largest)),
        "batch.size": str(min(262_144, *limits)),
    }


def librdkafka_options(limits: list[int]) -> dict[str, str]:
    """Return options of librdkafka, which does not split a batch that is too large."""
    if not limits:
        return {}
    largest = max(*limits, LIBRDKAFKA_BATCH)
    return {
        "message.max.bytes": str(largest),
        "batch.size": str(min(LIBRDKAFKA_BATCH, *limits)),
        # In the driver's memory, in addition to its heap.
        "queue.buffering.max.kbytes": str(max(65_536, 2 * largest // 1024)),
    }


def _header_bytes(header: Column) -> Column:
    return _bytes(header["key"]) + _bytes(header["value"]) + HEADER_BYTES


def _bytes(column: Column) -> Column:
    return F.coalesce(F.octet_length(column), F.lit(0))


def _once(value: Column) -> Column:
    """Return a value that is computed once: see ``transforms``."""
    return F.when(F.spark_partition_id() >= 0, value)
