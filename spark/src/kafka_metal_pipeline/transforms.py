"""Accepted events and rejected records from a topic's records; independent of the source.

``records`` have the columns of Spark's Kafka source: key, value (binary), topic, partition, offset
and timestamp. ``validate_records`` adds the result to each record, which is then in exactly one of
``accepted_events`` and ``rejected_records``.
"""

from functools import reduce

from kafka_metal_declarations.ddl import RECORD_COLUMNS, quote_name
from kafka_metal_declarations.model import Source
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.details import detail_column
from kafka_metal_pipeline.formats import TEXT, format_of
from kafka_metal_pipeline.ranges import convert, field_fault, is_plausible, keeps_text, text_column

ORIGIN = (*RECORD_COLUMNS, "_key", "_raw")
ACCEPTED, REJECTED = "_is_accepted", "_rejected"


def parse(records: DataFrame, source: Source) -> DataFrame:
    """Return ORIGIN, the value as text, the event's fields, and the marks of the parser."""
    if source.format == "bytes":
        return records.select(*_origin(), "key", "value", "headers")
    form = format_of(source)
    # Accepted events do not need the value: it is not copied with them from here on.
    parsed = {
        TEXT: F.col("value").cast("string"),
        "_is_tombstone": F.col("value").isNull(),
        "_read": _once(form.parse(F.col("value"))),
    }
    read = records.select(*_origin(), *(what.alias(name) for name, what in parsed.items()))
    event, marks = form.shape(F.col("_read"))
    values = {field: event[field.name] for field in source.fields}
    return read.select(
        *ORIGIN,
        TEXT,
        "_is_tombstone",
        *(_once(convert(field, value)).alias(field.name) for field, value in values.items()),
        *(value.alias(text_column(field)) for field, value in values.items() if keeps_text(field)),
        *(mark.alias(name) for name, mark in marks.items()),
    )


def _once(value: Column) -> Column:
    """Return a value that is computed once, however often it is used.

    The optimizer would otherwise copy the parser to every use of its result, and each would parse
    again. It does not copy expressions that depend on the partition.
    """
    return F.when(F.spark_partition_id() >= 0, value)


def _origin() -> list[Column]:
    """Return ORIGIN from the columns of Spark's Kafka source."""
    names = ("topic", "partition", "offset", "timestamp", "key", "value")
    return [F.col(name).alias(own) for name, own in zip(names, ORIGIN, strict=True)]


def accepted_records(parsed: DataFrame, source: Source, rules: dict[str, str]) -> DataFrame:
    """Return ORIGIN of the accepted records, which are unchanged."""
    return parsed.where(is_accepted(source, rules)).select(*ORIGIN)


def validate_records(parsed: DataFrame, source: Source, rules: dict[str, str]) -> DataFrame:
    """Return event fields, RECORD_COLUMNS, ACCEPTED, and for rejected records everything.

    These are all columns that outputs need, and no more: shared reads cache them.
    """
    result = is_accepted(source, rules)
    everything = F.struct(*(F.col(quote_name(name)) for name in parsed.columns))
    return parsed.select(
        *_event(source), result.alias(ACCEPTED), F.when(~result, everything).alias(REJECTED)
    )


def accepted_events(validated: DataFrame, source: Source) -> DataFrame:
    """Return the view ``events``: the event's fields, then RECORD_COLUMNS."""
    return validated.where(F.col(ACCEPTED)).select(*_event(source))


def rejected_records(validated: DataFrame, source: Source, rules: dict[str, str]) -> DataFrame:
    """Return ORIGIN, ``_reason``, and the text ``_detail`` of rejected records."""
    return (
        validated.where(~F.col(ACCEPTED))
        .select(f"{REJECTED}.*")
        .withColumn("_reason", rejection_reason(source, rules))
        .select(*ORIGIN, "_reason", detail_column(source, rules).alias("_detail"))
    )


def _event(source: Source) -> list[Column]:
    names = [field.name for field in source.fields]
    return [F.col(quote_name(name)) for name in (*names, *RECORD_COLUMNS)]


def is_accepted(source: Source, rules: dict[str, str]) -> Column:
    """Whether a record is an event that meets every rule; never null.

    A rule that returns NULL is not met. Rules use the event's fields and RECORD_COLUMNS.
    """
    met = [F.expr(predicate).cast("boolean") for predicate in rules.values()]
    if source.format == "bytes":
        return F.coalesce(reduce(Column.__and__, met, F.lit(True)), F.lit(False))
    conditions = [
        ~F.col("_is_tombstone"),
        format_of(source).whole(),
        F.col("_is_text"),
        *(F.col(quote_name(field.name)).isNotNull() for field in source.fields if field.required),
        *(is_plausible(field) for field in source.fields),
        *met,
    ]
    return F.coalesce(reduce(Column.__and__, conditions), F.lit(False))


def rejection_reason(source: Source, rules: dict[str, str]) -> Column:
    """Return the first reason why a record is not accepted."""
    if source.format == "bytes":
        return _violated_rule(F.when(F.lit(False), ""), rules)
    required = [F.col(quote_name(field.name)).isNull() for field in source.fields if field.required]
    reason = (
        F.when(F.col("_is_tombstone"), "tombstone")
        .when(~F.col("_is_text"), "not_utf8")
        .when(~format_of(source).whole(), format_of(source).fault(F.col(TEXT)))
    )
    for field in source.fields:
        fault = field_fault(field)
        reason = reason.when(fault.isNotNull(), fault)
    if required:
        reason = reason.when(reduce(Column.__or__, required), "missing_field")
    return _violated_rule(reason, rules)


def _violated_rule(reason: Column, rules: dict[str, str]) -> Column:
    for name, predicate in rules.items():
        is_met = F.coalesce(F.expr(predicate).cast("boolean"), F.lit(False))
        reason = reason.when(~is_met, name)
    return reason
