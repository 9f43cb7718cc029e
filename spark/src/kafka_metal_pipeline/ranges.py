"""Values that Spark reads and no one means: times of the year 57971, infinite amounts.

Spark's parsers take a number of any size as seconds since 1970, so that milliseconds become the
year 57971 and move every watermark there for good; they take "12:30" as today and "2026" as New
Year. So instants stay text in the parsers, and are read here: ISO 8601, or whole seconds.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.ddl import Field

# Seconds since 1970 of 0001-01-01 and 9999-12-31: the years that ISO 8601 writes with four digits.
# Milliseconds lie beyond them from January 1978 on.
EARLIEST_S = -62_135_596_800
LATEST_S = 253_402_300_799
EARLIEST_DATE = "0001-01-01"
LATEST_DATE = "9999-12-31"

FRACTIONS = ("FLOAT", "REAL", "DOUBLE")


def converted(field: Field, value: Column) -> Column:
    """The field's value; null for an instant's text that is no time of the years 1 to 9999."""
    if not field.is_instant:
        return value
    seconds = value.try_cast("bigint")
    written = F.when(F.substring(value, 5, 1) == "-", value.try_cast("timestamp"))
    return written.when(seconds.between(EARLIEST_S, LATEST_S), F.timestamp_seconds(seconds))


def field_fault(field: Field, value: Column) -> Column:
    """``wrong_type`` or ``out_of_range`` of what the parsers let pass, else null."""
    out_of_range = F.lit("out_of_range")
    if field.is_instant:
        kind = F.when(value.try_cast("double").isNotNull(), out_of_range).otherwise("wrong_type")
        return F.when(value.isNotNull() & converted(field, value).isNull(), kind)
    return F.when(is_out_of_range(field, value), out_of_range)


def is_out_of_range(field: Field, value: Column) -> Column:
    """Whether a value of the field's own type is one that no one means; false for null."""
    if field.base in FRACTIONS:
        infinite = F.abs(value) == F.lit("Infinity").cast("double")
        return F.coalesce(F.isnan(value) | infinite, F.lit(False))
    if field.base == "DATE":
        first, last = F.lit(EARLIEST_DATE).cast("date"), F.lit(LATEST_DATE).cast("date")
        return F.coalesce(~value.between(first, last), F.lit(False))
    return F.lit(False)
