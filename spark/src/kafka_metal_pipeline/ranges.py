"""Validation of values that Spark parses, but that cannot be meant: year 57971, infinite amounts.

Spark's parsers read any number as seconds since 1970. Milliseconds would become the year 57971 and
move every watermark there permanently. They also read "12:30" as today and "2026" as January 1st.
So instants stay text in the parsers and are parsed here: ISO 8601, or whole seconds.
"""

from kafka_metal_declarations.ddl import INSTANT_TYPES, Field, quote_name, type_base
from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.formats import JSON
from kafka_metal_pipeline.nesting import Leaf, any_leaf, holds_instants, rebuild

# Parses the most common form of an instant only, but fast: see images/spark/json.
INSTANT = f"{JSON}.instant"
# Seconds since 1970 of 0001-01-01 and 9999-12-31, the years that ISO 8601 writes with four digits.
# Milliseconds since 1970 are above this range from January 1978 on.
EARLIEST_S = -62_135_596_800
LATEST_S = 253_402_300_799
EARLIEST_DATE, LATEST_DATE = "0001-01-01", "9999-12-31"

LARGEST = {
    "FLOAT": 3.4028234663852886e38,
    "REAL": 3.4028234663852886e38,
    "DOUBLE": 1.7976931348623157e308,
}


def convert(field: Field, value: Column) -> Column:
    """Return the field's value; null for an instant outside of the years 1 to 9999."""
    return rebuild(field.type, value, _instant)


def keeps_text(field: Field) -> bool:
    """Whether the text of the field's instants is kept in a column of its own."""
    return holds_instants(field.type)


def text_column(field: Field) -> str:
    """Return the name of the column with the text of a field's instants."""
    return f"_text_{field.name}"


def is_plausible(field: Field) -> Column:
    """Whether a field was parsed and its value is in range; true for null."""
    fault = _anywhere(field, _is_fault)
    return F.lit(True) if fault is None else ~F.coalesce(fault, F.lit(False))


def field_fault(field: Field) -> Column:
    """Return ``wrong_type`` or ``out_of_range`` for a field that is not plausible, else null."""
    fault = F.lit("out_of_range")
    misread = _anywhere(field, _is_no_number)
    if misread is not None:
        fault = F.when(misread, "wrong_type").otherwise(fault)
    return F.when(~is_plausible(field), fault)


def _anywhere(field: Field, leaf: Leaf) -> Column | None:
    value = F.col(quote_name(field.name))
    wire = F.col(quote_name(text_column(field))) if keeps_text(field) else value
    return any_leaf(field.type, wire, value, leaf)


def cast(text: Column) -> Column:
    """Cast text to an instant as Spark does, with a fast path for the common form."""
    return F.coalesce(F.call_function(INSTANT, text), text.try_cast("timestamp"))


def _instant(text: Column) -> Column:
    seconds = text.try_cast("bigint")
    written = F.when(F.substring(text, 5, 1) == "-", cast(text))
    return written.when(seconds.between(EARLIEST_S, LATEST_S), F.timestamp_seconds(seconds))


def _is_fault(declared: str, wire: Column, value: Column) -> Column | None:
    base = type_base(declared)
    if base in INSTANT_TYPES:
        return value.isNull() & wire.isNotNull()
    if base in LARGEST:
        # NaN compares greater than every number.
        largest = F.lit(LARGEST[base])
        return ~value.between(-largest, largest)
    if base == "DATE":
        first, last = F.lit(EARLIEST_DATE).cast("date"), F.lit(LATEST_DATE).cast("date")
        return ~value.between(first, last)
    return None


def _is_no_number(declared: str, wire: Column, value: Column) -> Column | None:
    if type_base(declared) not in INSTANT_TYPES:
        return None
    return value.isNull() & wire.isNotNull() & wire.try_cast("double").isNull()
