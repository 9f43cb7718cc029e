"""SQL of a pipeline: queries over its events are allowed, other access is refused."""

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from conftest import SMALLEST
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline import analysis, batches, driver, exit_codes, sql_check
from kafka_metal_pipeline.status import Board
from pyspark.sql import SparkSession

DATA = Path(__file__).parent / "data"
HOSTILE = yaml.safe_load((DATA / "hostile.yml").read_text())
HONEST = yaml.safe_load((DATA / "honest.yml").read_text())


def declared(
    sql: str = "SELECT * FROM events", schema: str = "id STRING NOT NULL", **changes: Any
) -> Declaration:
    """A declaration whose SQL is checked by Spark only."""
    output = {"topic": "out", **changes.pop("output", {}), "sql": "SELECT * FROM events"}
    source = {"topic": "in", "schema": schema}
    rules = changes.pop("rules", {})
    whole = parse("p", {**SMALLEST, "source": source, "outputs": {"o": output}, **changes})
    outputs = tuple(replace(each, sql=sql) for each in whole.outputs)
    return replace(
        whole, rules=rules, outputs=outputs if "outputs" not in changes else whole.outputs
    )


@pytest.fixture(scope="session")
def parser(spark: SparkSession) -> sql_check.Parser:
    return sql_check.Parser(spark)


def problems(parser: sql_check.Parser, declaration: Declaration) -> list[str]:
    return [str(each) for each in sql_check.find_problems(parser, declaration)]


@pytest.mark.parametrize("name", HOSTILE["statements"])
def test_hostile_statement_is_refused(parser: sql_check.Parser, name: str) -> None:
    found = problems(parser, declared(HOSTILE["statements"][name]))
    assert found
    assert all(each.startswith("pipeline p: outputs.o.sql: found ") for each in found)


@pytest.mark.parametrize("name", HOSTILE["expressions"])
def test_hostile_rule_and_key_are_refused(parser: sql_check.Parser, name: str) -> None:
    sql = HOSTILE["expressions"][name]
    found = problems(parser, declared(rules={"r": sql}, output={"key": sql}))
    assert any(each.startswith("pipeline p: rules.r: found ") for each in found)
    assert any(each.startswith("pipeline p: outputs.o.key: found ") for each in found)


@pytest.mark.parametrize(
    "sql",
    [
        "n > `rand`()",
        "n > rand/**/(1)",
        "n > system.builtin.uniform(0, 1)",
        "length(randstr(3)) > n",
        "at < current_timestamp",
        "at < `localtimestamp`",
        "n < unix_timestamp()",
        "IDENTIFIER('rand')() > n",
    ],
)
def test_nondeterministic_rule_is_refused(parser: sql_check.Parser, sql: str) -> None:
    found = problems(parser, declared(schema="n INT, at TIMESTAMP", rules={"r": sql}))
    assert found
    assert all(each.startswith("pipeline p: rules.r: found ") for each in found)


@pytest.mark.parametrize("name", HONEST["statements"])
def test_valid_statement_is_allowed(parser: sql_check.Parser, name: str) -> None:
    assert problems(parser, declared(HONEST["statements"][name], HONEST["schema"])) == []


@pytest.mark.parametrize("name", HONEST["expressions"])
def test_valid_rule_and_key_are_allowed(parser: sql_check.Parser, name: str) -> None:
    sql = HONEST["expressions"][name]
    pipeline = declared(schema=HONEST["schema"], rules={"r": sql}, output={"key": sql})
    assert problems(parser, pipeline) == []


def test_valid_statements_run_in_spark(spark: SparkSession) -> None:
    outputs = {
        f"o{place}": {"sql": sql, "topic": "out"}
        for place, sql in enumerate(HONEST["statements"].values())
    }
    pipeline = declared(schema=HONEST["schema"], outputs=outputs)
    assert list(analysis.failing_statements(spark, pipeline, streaming=False)) == []


def test_refusal_has_place_and_allowed(parser: sql_check.Parser) -> None:
    pipeline = declared(
        "SELECT id,\n  reflect('a', 'b')\nFROM events", rules={"r": "id = text.`/x`(1)"}
    )
    rule, statement = problems(parser, pipeline)
    assert rule == (
        "pipeline p: rules.r: found the function text./x at line 1, column 6; allowed: functions "
        "of Spark itself; a site allows a function by its name in pipeline_sql_functions"
    )
    assert statement == (
        "pipeline p: outputs.o.sql: found the function reflect: it can call any Java method at "
        "line 2, column 3; allowed: another function; a site allows a function by its name in "
        "pipeline_sql_functions"
    )
    (relation,) = problems(parser, declared("WITH a AS (SELECT * FROM events) SELECT * FROM b"))
    assert relation.endswith(
        "found the relation b at line 1, column 48; allowed: events, a, and names of WITH"
    )


def test_site_may_allow_functions_by_name(parser: sql_check.Parser) -> None:
    def with_functions(sql: str, *functions: str) -> list[str]:
        return problems(parser, declared(sql, sql_functions=list(functions)))

    assert with_functions("SELECT current_user() AS u FROM events", "current_user") == []
    assert with_functions("SELECT system.builtin.VERSION() AS u FROM events", "Version") == []
    assert with_functions("SELECT other.default.f(id) AS u FROM events", "other.default.f") == []
    assert with_functions("SELECT * FROM range(3), events", "range") == []
    assert with_functions("SELECT other.default.f(id) AS u FROM events", "f")
    assert with_functions("SELECT reflect('a', 'b') AS u FROM events", "version")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5000 + "id" + ")" * 5000 + " AS x FROM events",
        "SELECT " + "~" * 5000 + "1 AS x FROM events",
        "SELECT " + "array(" * 3000 + "reflect('a', 'b')" + ")" * 3000 + " AS x FROM events",
    ],
)
def test_too_deep_statement_is_refused(parser: sql_check.Parser, sql: str) -> None:
    (found,) = problems(parser, declared(sql))
    assert len(found) < 1000


def test_long_statement_is_checked_completely(parser: sql_check.Parser) -> None:
    honest = " OR ".join(f"id = '{number}'" for number in range(2000))
    assert problems(parser, declared(f"SELECT * FROM events WHERE {honest}")) == []
    assert problems(parser, declared(f"SELECT * FROM events WHERE {honest} OR id = version()"))


def test_statement_resolves_no_variables(spark: SparkSession) -> None:
    sql = "SELECT '${env:PATH}' AS a, '${spark.master}' AS b, '${system:user.dir}' AS c"
    (row,) = spark.sql(sql).collect()
    assert tuple(row) == ("${env:PATH}", "${spark.master}", "${system:user.dir}")
    (rule,) = spark.range(1).selectExpr("'${env:PATH}' AS a").collect()
    assert rule["a"] == "${env:PATH}"


def test_xml_reads_no_files(spark: SparkSession) -> None:
    entity = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'
    try:
        rows = spark.createDataFrame([(entity,)], "x STRING").selectExpr("from_xml(x, 'a STRING')")
        found = str(rows.collect())
    except Exception as error:
        found = str(error)
    assert "root:" not in found


def test_refused_schema_has_allowed_forms(parser: sql_check.Parser) -> None:
    (found,) = problems(parser, declared("SELECT from_json(id, '{}') AS j FROM events"))
    assert "found a schema of from_json that is JSON or computed at line 1, column 8" in found
    assert "allowed: names and types in quotes, as 'a INT, b STRING'" in found


def test_refused_functions_exist_in_spark(parser: sql_check.Parser) -> None:
    from kafka_metal_pipeline import sql_allowlist

    named = {*sql_allowlist.REFUSED, *sql_allowlist.WITHOUT_OPTIONS}
    assert named <= parser.functions


class Session:
    """The session of all tests, which records a call of ``stop``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark, self.ended = spark, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def stop(self) -> None:
        self.ended = True


@pytest.mark.parametrize("name", ["transform", "a path", "reflect", "a directory"])
def test_driver_refuses_before_it_reads_or_writes(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    started = Session(spark)
    monkeypatch.setattr("kafka_metal_pipeline.session.start", lambda _: started)
    pipeline = declared(HOSTILE["statements"][name])
    pipeline = replace(pipeline, site=replace(pipeline.site, bootstrap=("localhost:1",)))
    file: Any = SimpleNamespace(declaration=pipeline, digest="hostile")
    assert driver.run(file, Board("p", ["o"]), threading.Event()) == exit_codes.REFUSED
    assert "pipeline p: outputs.o.sql: found " in caplog.text
    assert started.ended
    assert batches.run(pipeline) == exit_codes.REFUSED


@pytest.mark.parametrize(
    "changed",
    [{"expression": "reflect('a', 'b')"}, {"condition": "EXISTS (TABLE text.`/etc/passwd`)"}],
)
def test_repair_refuses_hostile_expressions(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    changed: dict[str, str],
) -> None:
    monkeypatch.setattr("kafka_metal_pipeline.session.start", lambda _: Session(spark))
    options = {"expression": "raw", "condition": "true", **changed}
    assert batches.repair(declared(), **options, dry_run=True) == exit_codes.REFUSED
    assert "found" in caplog.text


def test_errors_of_all_outputs_and_rules_are_reported(spark: SparkSession) -> None:
    outputs = {
        "typo": {"sql": "SELECT amuont FROM events", "topic": "a"},
        "right": {"sql": "SELECT id FROM events", "topic": "b"},
        "endless": {"sql": "SELECT id, count(*) AS n FROM events GROUP BY id", "topic": "c"},
        "key": {"sql": "SELECT id FROM events", "topic": "d", "key": "nobody"},
        "sorted": {"sql": "SELECT id FROM events ORDER BY id", "topic": "e"},
    }
    pipeline = declared(outputs=outputs)
    found = {
        each.key: each.found
        for each in analysis.failing_statements(spark, pipeline, streaming=True)
    }
    assert set(found) == {f"outputs.{name}" for name in ("typo", "endless", "key", "sorted")}
    assert "amuont" in found["outputs.typo"]
    rules = declared(rules={"a": "nothing > 1", "b": "id > ''", "c": "amuont"})
    assert {each.key for each in analysis.failing_statements(spark, rules, streaming=True)} == {
        "rules.a",
        "rules.c",
    }
