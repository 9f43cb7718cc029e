"""Checks all SQL of a declaration with Spark's parser before it is resolved or run.

Used by the driver and the commands ``check`` and ``repair``. Parsing resolves nothing, so no path,
table or class in the SQL is accessed.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kafka_metal_declarations.ddl import RECORD_COLUMNS
from kafka_metal_declarations.keys import Problem
from kafka_metal_declarations.model import Declaration
from pyspark.sql import SparkSession

from kafka_metal_pipeline.sql_rules import QUERY, Allowed, Refusal, defined_columns, refusals

ONE_EXPRESSION = "one expression over a record"
# Maximum characters of a parser error.
LONGEST = 400


class SqlError(ValueError):
    """SQL that is not allowed; one line per mistake."""

    def __init__(self, problems: Collection[Problem]) -> None:
        """Keep the problems; the message has one line each."""
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


@dataclass(frozen=True, slots=True)
class Parsed:
    """The tree of parsed SQL, or the parser's error."""

    tree: dict[str, Any] | None
    refusal: Refusal | None = None


class Parser:
    """Spark's parser and the names of Spark's functions."""

    def __init__(self, spark: SparkSession) -> None:
        """Read the names of the functions."""
        jvm: Any = spark._jvm
        state = spark._jsparkSession.sessionState()
        self._parser = state.sqlParser()
        self._outline = jvm.metal.kafka.spark.Outline
        self.functions = frozenset(self._outline.functions().splitlines())

    def statement(self, sql: str) -> Parsed:
        """Parse one query; other statements are refused."""
        return self._parsed(self._outline.ofStatement, sql, QUERY)

    def expression(self, sql: str) -> Parsed:
        """Parse one expression, such as a predicate."""
        return self._parsed(self._outline.ofExpression, sql, ONE_EXPRESSION)

    def _parsed(self, outline: Any, sql: str, allowed: str) -> Parsed:
        try:
            return Parsed(json.loads(outline(self._parser, sql)))
        except Exception as error:
            # Any parser error refuses the SQL.
            return Parsed(None, Refusal(_message(error), allowed))


def _message(error: Exception) -> str:
    """Return the parser's error in one line, without the statement."""
    thrown = getattr(error, "java_exception", None)
    if thrown is not None and "StackOverflowError" in str(thrown.getClass().getName()):
        return "more nested brackets than Spark's parser supports"
    message = " ".join(str(error).split("== SQL", 1)[0].split())
    return (message or type(error).__name__)[:LONGEST]


def require_allowed(spark: SparkSession, declaration: Declaration) -> None:
    """Raise SqlError if any SQL of ``declaration`` is not allowed."""
    if found := find_problems(Parser(spark), declaration):
        raise SqlError(found)


def require_expressions(
    spark: SparkSession,
    declaration: Declaration,
    columns: Collection[str],
    texts: Mapping[str, str],
) -> None:
    """Raise SqlError if one of ``texts``, by option name, is not allowed."""
    parser = Parser(spark)
    allowed = _allowed(parser, declaration, columns)
    found = [
        Problem(declaration.name, name, f"{each.found}{each.place}", each.allowed)
        for name, text in texts.items()
        for each in _find_refusals(parser.expression(text), allowed)
    ]
    if found:
        raise SqlError(found)


def find_problems(parser: Parser, declaration: Declaration) -> list[Problem]:
    """Return the SQL in rules, statements and keys that is not allowed."""
    return [
        Problem(declaration.name, key, f"{each.found}{each.place}", each.allowed)
        for key, each in _find_refused(parser, declaration)
    ]


def _find_refused(parser: Parser, declaration: Declaration) -> Iterator[tuple[str, Refusal]]:
    columns = [*(field.name for field in declaration.source.fields), *RECORD_COLUMNS]
    one = _allowed(parser, declaration, columns)
    rule = replace(one, deterministic=True)
    for name, predicate in declaration.rules.items():
        for each in _find_refusals(parser.expression(predicate), rule):
            yield f"rules.{name}", each
    for output in declaration.outputs:
        parsed = parser.statement(output.sql)
        whole = Allowed(parser.functions, one.added, columns)
        for each in _find_refusals(parsed, whole):
            yield f"outputs.{output.name}.sql", each
        if output.key:
            named = defined_columns(parsed.tree) if parsed.tree else set()
            keys = _allowed(parser, declaration, [*columns, *named])
            for each in _find_refusals(parser.expression(output.key), keys):
                yield f"outputs.{output.name}.key", each


def _allowed(parser: Parser, declaration: Declaration, columns: Collection[str]) -> Allowed:
    added = frozenset(name.lower() for name in declaration.site.sql_functions)
    return Allowed(parser.functions, added, columns, queries=False)


def _find_refusals(parsed: Parsed, allowed: Allowed) -> list[Refusal]:
    if parsed.tree is None:
        return [parsed.refusal] if parsed.refusal else []
    return refusals(parsed.tree, allowed)
