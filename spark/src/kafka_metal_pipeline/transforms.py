"""From records of a topic to accepted events and rejected records. Knows no topic and no path.

``records`` have the columns of a Kafka source: key, value (binary), topic, partition, offset and
timestamp. Every one of them ends in exactly one of ``accepted`` and ``rejected``.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.ddl import RECORD_COLUMNS, quoted
from kafka_metal_pipeline.details import detail
from kafka_metal_pipeline.formats import format_of
from kafka_metal_pipeline.model import Source
from kafka_metal_pipeline.ranges import converted, field_fault

ORIGIN = (*RECORD_COLUMNS, "_key", "_raw")


def parse(records: DataFrame, source: Source) -> DataFrame:
    """ORIGIN, the event's fields, and ``_fault``: why the value is no event, or null.

    Each ``explode(array(x))`` is a barrier: without it the optimizer copies the expression to every
    place that uses its result, and a value is parsed once for each.
    """
    form = format_of(source)
    text = F.col("_text")
    origin = [F.col(column) for column in ORIGIN]
    parsed = records.select(
        F.col("topic").alias("_topic"),
        F.col("partition").alias("_partition"),
        F.col("offset").alias("_offset"),
        F.col("timestamp").alias("_timestamp"),
        F.col("key").alias("_key"),
        F.col("value").alias("_raw"),
        F.col("value").cast("string").alias("_text"),
    ).select(*origin, text, F.explode(F.array(form.parse(text))).alias("_parsed"))
    values = {field: form.field(F.col("_parsed"), field) for field in source.fields}
    field_faults = [field_fault(field, value) for field, value in values.items()]
    fault = (
        F.when(F.col("_raw").isNull(), F.lit("tombstone"))
        .when(~F.is_valid_utf8(text), F.lit("not_utf8"))
        .otherwise(F.coalesce(form.fault(text, F.col("_parsed")), *field_faults))
    )
    event = F.struct(
        fault.alias("_fault"),
        *(converted(field, value).alias(field.name) for field, value in values.items()),
    )
    return parsed.select(*origin, F.explode(F.array(event)).alias("_event")).select(
        *origin, "_event.*"
    )


def judge(parsed: DataFrame, source: Source, rules: dict[str, str]) -> DataFrame:
    """Add ``_reason``: null for an accepted record, else why it is rejected.

    A rule that gives NULL is not met. Rules see the event's fields and RECORD_COLUMNS.
    """
    required = [F.col(quoted(field.name)).isNull() for field in source.fields if field.required]
    reason = F.when(F.col("_fault").isNotNull(), F.col("_fault"))
    if required:
        reason = reason.when(reduce(Column.__or__, required), F.lit("missing_field"))
    for name, predicate in rules.items():
        is_met = F.coalesce(F.expr(predicate).cast("boolean"), F.lit(False))
        reason = reason.when(~is_met, F.lit(name))
    return parsed.withColumn("_reason", reason)


def accepted(judged: DataFrame, source: Source) -> DataFrame:
    """The view ``events``: the event's fields, then RECORD_COLUMNS."""
    fields = [F.col(quoted(field.name)) for field in source.fields]
    return judged.where(F.col("_reason").isNull()).select(*fields, *RECORD_COLUMNS)


def rejected(judged: DataFrame, source: Source, rules: dict[str, str]) -> DataFrame:
    """ORIGIN, ``_reason``, and ``_detail``, a sentence for a person."""
    return judged.where(F.col("_reason").isNotNull()).select(
        *ORIGIN, "_reason", detail(source, rules).alias("_detail")
    )
