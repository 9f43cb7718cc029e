"""Checks whether Spark can run the SQL of declarations; processes no records.

All declarations share one session, because its start takes most of the time. SQL is first checked
against the allowlist, then analysed over the declared fields as a stream, or for ``batch`` once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.ddl import HEADERS
from kafka_metal_declarations.keys import Problem
from kafka_metal_declarations.model import Declaration
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import queries, session, sql_check, streams

# JVM memory; enough because no records are processed.
MEMORY = "512m"
RUNS = "SQL that Spark runs over the declared events, and their fields by name"


def find_problems(declarations: Sequence[Declaration], streaming: bool = True) -> list[Problem]:
    """Return every mistake; empty if all statements can run."""
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
    return [
        each
        for declared in declarations
        for each in _find_problems(spark, parser, declared, streaming)
    ]


def _find_problems(
    spark: SparkSession, parser: sql_check.Parser, declared: Declaration, streaming: bool
) -> list[Problem]:
    """Return refused SQL; if there is none, SQL that Spark cannot run."""
    return sql_check.find_problems(parser, declared) or list(
        failing_statements(spark, declared, streaming)
    )


def failing_statements(
    spark: SparkSession, declared: Declaration, streaming: bool
) -> Iterator[Problem]:
    """Yield a problem per rule and output that fails; each is analysed on its own."""
    records = empty_stream(spark) if streaming else empty_batch(spark)
    all_rules_run = True
    for name, predicate in declared.rules.items():
        try:
            queries.validate(records, replace(declared, rules={name: predicate}))
        except queries.StatementError as error:
            all_rules_run = False
            yield Problem(declared.name, f"rules.{name}", error.reason, RUNS)
    if not all_rules_run:
        return
    try:
        validated = queries.validate(records, declared)
    except queries.StatementError as error:
        yield Problem(declared.name, error.key, error.reason, RUNS)
        return
    for output in declared.outputs:
        alone = replace(declared, outputs=(output,), invalid=None)
        try:
            for flow in queries.flows(lambda *_: validated, alone):
                if streaming:
                    queries.check_streaming(flow, declared.name)
        except queries.StatementError as error:
            yield Problem(declared.name, error.key, error.reason, RUNS)


def empty_batch(spark: SparkSession) -> DataFrame:
    """Return records of an empty topic."""
    return spark.createDataFrame([], f"{streams.RECORD}, headers {HEADERS}")


def empty_stream(spark: SparkSession) -> DataFrame:
    """Return records of an empty topic as a stream, for analysis only."""
    columns: Any = empty_batch(spark).schema.fields
    rate = spark.readStream.format("rate").load()
    return rate.selectExpr(
        *(f"CAST(NULL AS {each.dataType.simpleString()}) AS `{each.name}`" for each in columns)
    )
