"""All SQL of a declaration, read by Spark's own parser before any of it is run or looked up.

The driver, the command ``check`` and ``repair`` use it; nothing is resolved here, so no path, table
or class that SQL names is touched.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kafka_metal_declarations.ddl import RECORD_COLUMNS
from kafka_metal_declarations.keys import Problem
from kafka_metal_declarations.model import Declaration
from pyspark.sql import SparkSession

from kafka_metal_pipeline.sql_rules import QUERY, Allowed, Refusal, names_of, refusals

ONE_EXPRESSION = "one expression over a record"
# Of what the parser says, for a line on a screen.
LONGEST = 400


class SqlError(ValueError):
    """SQL that is not allowed; one line for each mistake."""

    def __init__(self, problems: Collection[Problem]) -> None:
        """Keep the problems."""
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree, or what the parser says where there is none."""

    tree: dict[str, Any] | None
    refusal: Refusal | None = None


class Parser:
    """Spark's parser, and the functions that it brings."""

    def __init__(self, spark: SparkSession) -> None:
        """Ask for the functions once."""
        jvm: Any = spark._jvm
        state = spark._jsparkSession.sessionState()
        self._parser = state.sqlParser()
        self._outline = jvm.metal.kafka.spark.Outline
        self.functions = frozenset(self._outline.functions().splitlines())

    def statement(self, sql: str) -> Parsed:
        """A statement."""
        return self._parsed(self._outline.ofStatement, sql, QUERY)

    def expression(self, sql: str) -> Parsed:
        """An expression."""
        return self._parsed(self._outline.ofExpression, sql, ONE_EXPRESSION)

    def _parsed(self, outline: Any, sql: str, allowed: str) -> Parsed:
        try:
            return Parsed(json.loads(outline(self._parser, sql)))
        except Exception as error:
            # Whatever the parser fails with: what it cannot read is not run.
            return Parsed(None, Refusal(_said(error), allowed))


def _said(error: Exception) -> str:
    """What the parser says, in one line, without the statement."""
    thrown = getattr(error, "java_exception", None)
    if thrown is not None and "StackOverflowError" in str(thrown.getClass().getName()):
        return "more brackets within each other than Spark's parser reads"
    said = " ".join(str(error).split("== SQL", 1)[0].split())
    return (said or type(error).__name__)[:LONGEST]


def require(spark: SparkSession, declaration: Declaration) -> None:
    """Raise SqlError when any SQL of ``declaration`` is not allowed."""
    if found := problems_of(Parser(spark), declaration):
        raise SqlError(found)


def require_expressions(
    spark: SparkSession,
    declaration: Declaration,
    columns: Collection[str],
    texts: Mapping[str, str],
) -> None:
    """Raise SqlError when one of ``texts``, by the name of its option, is not allowed."""
    parser = Parser(spark)
    allowed = _allowed(parser, declaration, columns)
    found = [
        Problem(declaration.name, name, f"{each.found}{each.place}", each.allowed)
        for name, text in texts.items()
        for each in _of(parser.expression(text), allowed)
    ]
    if found:
        raise SqlError(found)


def problems_of(parser: Parser, declaration: Declaration) -> list[Problem]:
    """What is not allowed in rules, statements and keys of a declaration."""
    return [
        Problem(declaration.name, key, f"{each.found}{each.place}", each.allowed)
        for key, each in _found(parser, declaration)
    ]


def _found(parser: Parser, declaration: Declaration) -> Iterator[tuple[str, Refusal]]:
    columns = [*(field.name for field in declaration.source.fields), *RECORD_COLUMNS]
    one = _allowed(parser, declaration, columns)
    rule = replace(one, steady=True)
    for name, predicate in declaration.rules.items():
        for each in _of(parser.expression(predicate), rule):
            yield f"rules.{name}", each
    for output in declaration.outputs:
        parsed = parser.statement(output.sql)
        whole = Allowed(parser.functions, one.added, columns)
        for each in _of(parsed, whole):
            yield f"outputs.{output.name}.sql", each
        if output.key:
            named = names_of(parsed.tree) if parsed.tree else set()
            keys = _allowed(parser, declaration, [*columns, *named])
            for each in _of(parser.expression(output.key), keys):
                yield f"outputs.{output.name}.key", each


def _allowed(parser: Parser, declaration: Declaration, columns: Collection[str]) -> Allowed:
    added = frozenset(name.lower() for name in declaration.site.sql_functions)
    return Allowed(parser.functions, added, columns, queries=False)


def _of(parsed: Parsed, allowed: Allowed) -> list[Refusal]:
    if parsed.tree is None:
        return [parsed.refusal] if parsed.refusal else []
    return refusals(parsed.tree, allowed)
