"""Texts for the ``detail`` of a rejected record, in addition to its reason."""

from kafka_metal_declarations.ddl import Field, quote_name
from kafka_metal_declarations.model import Source
from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline import wire_format
from kafka_metal_pipeline.formats import Format, format_of
from kafka_metal_pipeline.ranges import field_fault, is_plausible, keeps_text, text_column

# Maximum characters of a value in a message.
SHOWN = 80

MESSAGES = {
    "tombstone": "the record has no value",
    "empty": "the value is empty",
    "not_utf8": "the value is not UTF-8",
    "lone_surrogate": "a string has half of a surrogate pair, which is not a character",
    "trailing_garbage": "there is more text after the event's end",
    "not_an_object": "the value is JSON, but not an object",
    "unknown_schema": "the value has a schema that its subject did not have at the start",
}
MALFORMED = {
    "json": "the value is not JSON",
    "csv": "the value is not one row of {columns} columns",
    "plain": "the value is not text",
    "avro": "the value is not Avro of its schema",
    "json_schema": "the value is not a schema's id and JSON",
}


def detail_column(source: Source, rules: dict[str, str]) -> Column:
    """Return the text of ``_detail`` for the reason in ``_reason``.

    Parses the value again, of rejected records only.
    """
    reason = F.col("_reason")
    if source.format == "bytes":
        return _violated_rule(F.when(F.lit(False), ""), rules)
    form = format_of(source)
    raw = F.col("_raw")
    text = (wire_format.body(raw) if source.format == "json_schema" else raw).cast("string")
    malformed = MALFORMED[source.format].format(columns=len(source.fields))
    detail = F.when(reason == "malformed", F.lit(malformed))
    for name, message in MESSAGES.items():
        detail = detail.when(reason == name, F.lit(message))
    return (
        _violated_rule(detail, rules)
        .when(reason == "missing_field", _missing(source))
        .when(reason == "duplicate_key", _duplicate_names(text))
        .when(reason == "wrong_type", _wrong_types(source, form, text))
        .when(reason == "out_of_range", _out_of_range(source, form, text))
    )


def _violated_rule(detail: Column, rules: dict[str, str]) -> Column:
    for name, predicate in rules.items():
        detail = detail.when(F.col("_reason") == name, F.lit(f"not met: {predicate}"))
    return detail


def _missing(source: Source) -> Column:
    missing = [
        F.when(F.col(quote_name(field.name)).isNull(), F.lit(field.name))
        for field in source.fields
        if field.required
    ]
    return F.concat(F.lit("no value in "), F.concat_ws(", ", *missing))


def _duplicate_names(text: Column) -> Column:
    names = F.json_object_keys(text)

    def is_twice(name: Column) -> Column:
        return F.size(F.filter(names, lambda other: other == name)) > 1

    listed = F.array_join(F.filter(F.array_distinct(names), is_twice), ", ")
    nested = F.lit("a nested object has a name more than once")
    return F.when(listed == "", nested).otherwise(F.concat(F.lit("more than one "), listed))


def _wrong_types(source: Source, form: Format, text: Column) -> Column:
    """Return the fields that are present, but do not have their declared type."""
    wrong = [
        F.when(
            _is_unread(field) & form.field_text(text, field).isNotNull(),
            _found(form, text, field, f"expected {field.type}"),
        )
        for field in source.fields
    ]
    listed = F.concat_ws("; ", *wrong)
    return F.when(listed == "", F.lit("a nested field has another type than declared")).otherwise(
        listed
    )


def _is_unread(field: Field) -> Column:
    """Whether a field has no value, or a nested time could not be parsed."""
    unread = F.col(quote_name(field.name)).isNull()
    if keeps_text(field) and not field.is_instant:
        unread |= F.equal_null(field_fault(field), F.lit("wrong_type"))
    return unread


def _out_of_range(source: Source, form: Format, text: Column) -> Column:
    """Return times outside of the years 1 to 9999, and numbers that are not finite."""
    wrong = []
    for field in source.fields:
        expected, is_wrong = f"out of range for {field.base}", ~is_plausible(field)
        if field.is_instant:
            expected = "expected ISO 8601 or seconds since 1970"
            is_wrong &= F.col(quote_name(text_column(field))).try_cast("double").isNotNull()
        elif keeps_text(field):
            expected = "expected times as ISO 8601 or seconds since 1970"
        wrong.append(F.when(is_wrong, _found(form, text, field, expected)))
    return F.concat_ws("; ", *wrong)


def _found(form: Format, text: Column, field: Field, expected: str) -> Column:
    shown = F.substring(form.field_text(text, field), 1, SHOWN)
    return F.concat(F.lit(f"{field.name}: {expected}, found "), shown)
