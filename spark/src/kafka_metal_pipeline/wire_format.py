"""Confluent's wire format: a zero byte, the schema id in four bytes, the encoded value."""

from functools import reduce

from kafka_metal_declarations.model import Source
from pyspark.sql import Column
from pyspark.sql import functions as F

MAGIC = b"\x00"
HEAD_BYTES = 5
LONGEST = 2**31 - 1
# In the error of a batch, after the id.
UNKNOWN_WRITER = "is the id of no schema that the registry had"


def is_framed(value: Column) -> Column:
    """Whether a value has a head and more; never null."""
    framed = (F.substring(value, 1, 1) == F.lit(MAGIC)) & (F.length(value) > HEAD_BYTES)
    return F.coalesce(framed, F.lit(False))


def writer_of(value: Column) -> Column:
    """Return the schema id of a framed value."""
    return F.conv(F.hex(F.substring(value, 2, 4)), 16, 10).cast("bigint")


def body(value: Column) -> Column:
    """Return the encoded value, without its head."""
    return F.substring(value, HEAD_BYTES + 1, LONGEST)


def is_known(source: Source, framed: Column, writer: Column) -> Column:
    """Whether the registry had the schema when it was read; never null.

    Fails the batch for others if the source says so.
    """
    known = reduce(Column.__or__, [writer == each for each, _ in source.writers], F.lit(False))
    known = F.coalesce(known, F.lit(False))
    if not source.fails_for_unknown_writers:
        return known
    error = F.concat(writer.cast("string"), F.lit(f" {UNKNOWN_WRITER}"))
    return F.when(~framed | known, known).otherwise(F.raise_error(error).cast("boolean"))
