"""Whether Spark takes declarations' rules, statements and keys; reads and writes nothing.

All declarations in one session, which takes most of the time: first whether their SQL is allowed,
then whether it can run over the declared events, as a stream or, for ``batch``, at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.ddl import HEADERS
from kafka_metal_declarations.keys import Problem
from kafka_metal_declarations.model import Declaration
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import queries, session, sql_check, streams

# Enough for plans of nothing.
MEMORY = "512m"
RUNS = "SQL that Spark runs over the declared events, and their fields by name"


def problems_of(declarations: Sequence[Declaration], streaming: bool = True) -> list[Problem]:
    """Every mistake; empty when all statements can be run."""
    if not declarations:
        return []
    first = declarations[0]
    spark = session.start(
        replace(
            first,
            site=replace(first.site, master="local[1]", event_log_dir=None),
            resources=replace(first.resources, driver_memory=MEMORY),
        )
    )
    parser = sql_check.Parser(spark)
    return [each for declared in declarations for each in _of(spark, parser, declared, streaming)]


def _of(
    spark: SparkSession, parser: sql_check.Parser, declared: Declaration, streaming: bool
) -> list[Problem]:
    """What is not allowed; where all is, what cannot be run."""
    return sql_check.problems_of(parser, declared) or list(failing(spark, declared, streaming))


def failing(spark: SparkSession, declared: Declaration, streaming: bool) -> Iterator[Problem]:
    """One rule and one output at a time: one that fails says nothing of the others."""
    records = endless_nothing(spark) if streaming else no_records(spark)
    is_sound = True
    for name, predicate in declared.rules.items():
        try:
            queries.validate(records, replace(declared, rules={name: predicate}))
        except queries.StatementError as error:
            is_sound = False
            yield Problem(declared.name, f"rules.{name}", error.said, RUNS)
    if not is_sound:
        return
    try:
        judged = queries.validate(records, declared)
    except queries.StatementError as error:
        yield Problem(declared.name, error.key, error.said, RUNS)
        return
    for output in declared.outputs:
        alone = replace(declared, outputs=(output,), invalid=None)
        try:
            for flow in queries.flows(lambda *_: judged, alone):
                if streaming:
                    queries.check_streaming(flow, declared.name)
        except queries.StatementError as error:
            yield Problem(declared.name, error.key, error.said, RUNS)


def no_records(spark: SparkSession) -> DataFrame:
    """Records of a topic that has none."""
    return spark.createDataFrame([], f"{streams.RECORD}, headers {HEADERS}")


def endless_nothing(spark: SparkSession) -> DataFrame:
    """The same as a stream, which nobody starts."""
    columns: Any = no_records(spark).schema.fields
    rate = spark.readStream.format("rate").load()
    return rate.selectExpr(
        *(f"CAST(NULL AS {each.dataType.simpleString()}) AS `{each.name}`" for each in columns)
    )
