"""Values that Spark reads and no one means: times of the year 57971, infinite amounts.

Spark's parsers take a number of any size as seconds since 1970, so that milliseconds become the
year 57971 and move every watermark there for good; they take "12:30" as today and "2026" as New
Year. So instants stay text in the parsers, and are read here: ISO 8601, or whole seconds.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.ddl import Field, quoted

# Seconds since 1970 of 0001-01-01 and 9999-12-31: the years that ISO 8601 writes with four digits.
# Milliseconds lie beyond them from January 1978 on.
EARLIEST_S = -62_135_596_800
LATEST_S = 253_402_300_799
EARLIEST_DATE, LATEST_DATE = "0001-01-01", "9999-12-31"

LARGEST = {
    "FLOAT": 3.4028234663852886e38,
    "REAL": 3.4028234663852886e38,
    "DOUBLE": 1.7976931348623157e308,
}


def converted(field: Field, value: Column) -> Column:
    """The field's value; null for an instant's text that is no time of the years 1 to 9999."""
    if not field.is_instant:
        return value
    seconds = value.try_cast("bigint")
    written = F.when(F.substring(value, 5, 1) == "-", value.try_cast("timestamp"))
    return written.when(seconds.between(EARLIEST_S, LATEST_S), F.timestamp_seconds(seconds))


def kept_text(field: Field) -> str:
    """Name of the column that holds an instant's text."""
    return f"_text_{field.name}"


def is_plausible(field: Field) -> Column:
    """Whether a field was read, and its value is one that someone can mean; true for null."""
    value = F.col(quoted(field.name))
    if field.is_instant:
        return value.isNotNull() | F.col(quoted(kept_text(field))).isNull()
    if field.base in LARGEST:
        # NaN is beyond every number.
        largest = F.lit(LARGEST[field.base])
        return value.isNull() | value.between(-largest, largest)
    if field.base == "DATE":
        first, last = F.lit(EARLIEST_DATE).cast("date"), F.lit(LATEST_DATE).cast("date")
        return value.isNull() | value.between(first, last)
    return F.lit(True)


def field_fault(field: Field) -> Column:
    """``wrong_type`` or ``out_of_range`` of a field that is not plausible, else null."""
    fault = F.lit("out_of_range")
    if field.is_instant:
        is_number = F.col(quoted(kept_text(field))).try_cast("double").isNotNull()
        fault = F.when(is_number, fault).otherwise("wrong_type")
    return F.when(~is_plausible(field), fault)
