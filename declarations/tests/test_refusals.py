"""Declarations refused by validation, on which a driver, Spark or Kafka would fail later."""

from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations import documents
from kafka_metal_declarations.declaration import find_problems, parse
from kafka_metal_declarations.declaration_file import load
from kafka_metal_declarations.keys import DeclarationError
from kafka_metal_declarations.placement import add_site_values
from kafka_metal_declarations.sample import SampleError

SCHEMA = "id STRING, note STRING, x DOUBLE, at TIMESTAMP, day DATE, `current_date` INT"
ONE = "source: {topic: a, schema: id INT}, outputs: {o: {path: o}}, invalid: c"


def body(**changes: Any) -> dict[str, Any]:
    return {
        "source": {"topic": "in", "schema": SCHEMA},
        "outputs": {"all": {"sql": "SELECT * FROM events", "topic": "out"}},
        "invalid": "bad",
        **changes,
    }


def source(**changes: Any) -> dict[str, Any]:
    return body(source={"topic": "in", "schema": SCHEMA, **changes})


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("x > `rand`()", "rand()"),
        ("x > rand/**/()", "rand()"),
        ("x > rand -- '\n (1)", "rand()"),
        ("x > /* /* a */ ' */ rand() /* ' */", "rand()"),
        ("x > system.builtin.`RAND` ()", "rand()"),
        (r"note = 'it\'s' OR rand() > 0.5 OR note = 'x'", "rand()"),
        ("note = 'it''s' OR rand() > 0.5 OR note = 'x'", "rand()"),
        ('note = "it\'s" OR rand() > 0.5 OR note = "it\'s"', "rand()"),
        (r"note = r'\' OR rand() > 0.5 OR note = r'\'", "rand()"),
        ("x > uniform(0, 1)", "uniform()"),
        ("length(randstr(3)) > 2", "randstr()"),
        ("shuffle(array(1, 2))[0] = 1", "shuffle()"),
        ("uuid() = id", "uuid()"),
        ("spark_partition_id() = 0", "spark_partition_id()"),
        ("input_file_name() = id", "input_file_name()"),
        ("curdate() > day", "curdate()"),
        ("at > localtimestamp", "localtimestamp"),
        ("at > `current_timestamp`", "current_timestamp"),
        ("x > unix_timestamp(/* now */)", "unix_timestamp()"),
        ("x > identifier('ra' || 'nd')()", "identifier()"),
        ("at NOT BETWEEN '2020-01-01' AND 'now'", "'now'"),
        ("'yesterday' <= day", "'yesterday'"),
        ("day IN ('2020-01-01', 'today')", "'today'"),
        ("_timestamp = 'now'", "'now'"),
        ("datediff(coalesce(day, at), 'now') > 1", "'now'"),
        ("at > 'now'", "'now'"),
        ("day = DATE 'tomorrow'", "'tomorrow'"),
        ("id > to_timestamp(' Today UTC')", "' Today UTC'"),
        ("id > 'yesterday'::timestamp", "'yesterday'"),
        ("id > CAST('now' AS date)", "'now'"),
    ],
)
def test_nondeterministic_rule_is_refused(rule: str, found: str) -> None:
    problems = find_problems({"p": body(rules={"r": rule})})
    assert [(each.key, each.found) for each in problems] == [("rules.r", found)]


@pytest.mark.parametrize(
    "rule",
    [
        "note LIKE 'rand()' OR note = 'it\\'s now()'",
        "x > 1 -- rand()",
        "x > 1 /* rand() */",
        "current_date > 1 AND `current_date` < 9",
        "place.current_time = 1 AND x > rand",
        "note IN ('today', 'now')",
        "place.update_time = 'now'",
        "place.at = 'now'",
        "note = 'now' AND at > TIMESTAMP '2020-01-01'",
        "at BETWEEN '2020-01-01' AND '2021-01-01' AND note = 'today'",
        "year(at) > 2020 OR lower(note) IN ('now', 'today')",
        "unix_timestamp(at) > 5",
        "at > TIMESTAMP '2020-01-01' AND at < _timestamp + INTERVAL 1 DAY",
    ],
)
def test_rule_may_name_a_refused_function_or_text(rule: str) -> None:
    assert find_problems({"p": body(rules={"r": rule})}) == ()


def test_rule_with_identifier_function_is_refused() -> None:
    (problem,) = find_problems({"p": body(rules={"r": "identifier('abs')(x) > 1"})})
    assert problem.allowed == "a function or a column by its own name, not by a text"


@pytest.mark.parametrize(
    "sql",
    [
        "drop table events",
        "insert into x select * from events",
        "SELECT * FROM events; DROP TABLE x",
        "SELECT 'events'",
        "SELECT 1 -- events",
        "/* SELECT */ SET events = 1",
        "-- events",
    ],
)
def test_statement_has_to_be_a_query_over_events(sql: str) -> None:
    (problem,) = find_problems({"p": body(outputs={"all": {"sql": sql, "topic": "out"}})})
    assert (problem.key, problem.found) == ("outputs.all.sql", sql)
    assert "one query, a SELECT from events" in problem.allowed


@pytest.mark.parametrize(
    "sql",
    [
        "-- all\nselect uuid(), current_date from `Events`",
        "(SELECT * FROM events) UNION ALL (SELECT * FROM events)",
        "WITH e AS (TABLE events) SELECT * FROM e;",
        "FROM events |> WHERE x > 1",
    ],
)
def test_all_query_forms_of_spark_are_allowed(sql: str) -> None:
    assert find_problems({"p": body(outputs={"all": {"sql": sql, "topic": "out"}})}) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("? [a, b]\n: 1\n", "a sequence as a key"),
        ("p: 2020-99-99", "2020-99-99, not a valid timestamp"),
        ("p: !!timestamp x", "x, not a valid timestamp"),
        ("p: !!int x", "x, not a valid int"),
        ("p: !!bool x", "x, not a valid bool"),
        ("p: !!float x", "x, not a valid float"),
        ("use: [a]", "use: found ['a']"),
        ("p: &a {source: *a}", "unconstructable recursive node"),
        ("p: &a [*a]", "unconstructable recursive node"),
        ("p: &a {source: {<<: *a}}", "unconstructable recursive node"),
        ("p: " + "9" * 5000, "999"),
        ("p: 0x" + "f" * 5000, "0xfff"),
        ("[" * 2000, "hundreds of nested values"),
        (f"null: {{{ONE}}}", "the key None"),
        (f"yes: {{{ONE}}}", "the key True"),
        (f"1: {{{ONE}}}", "the key 1"),
        (f"p: {{{ONE}, rules: {{on: id > 0}}}}", "the key True"),
        ("p: {source: {topic: a, schema: id INT}, outputs: {no: {path: o}}, invalid: c}", "False"),
        (f"p: {{{ONE}, databases: {{1: {{url: 'jdbc:x:y'}}}}}}", "the key 1"),
        (f"p: {{{ONE}, kafka_options: {{yes: 1}}}}", "the key True"),
    ],
)
def test_ambiguous_or_invalid_yaml_is_refused(tmp_path: Path, text: str, found: str) -> None:
    file = tmp_path / "pipelines.yml"
    file.write_text(text)
    with pytest.raises(DeclarationError) as error:
        load(file)
    assert found in str(error.value)
    assert "allowed" in str(error.value)
    assert len(str(error.value)) < 2000


def test_anchor_may_be_used_twice(tmp_path: Path) -> None:
    file = tmp_path / "pipelines.yml"
    file.write_text(f"a: &one {{{ONE}}}\nb: {{<<: *one, outputs: {{o: {{path: b}}}}}}\n")
    assert list(load(file)) == ["a", "b"]


@pytest.mark.parametrize("merged", ["*a", "[*a, *a]"])
def test_mapping_merged_with_itself_is_unchanged(merged: str) -> None:
    assert documents.read(f"p: &a {{<<: {merged}, x: 1}}") == {"p": {"x": 1}}


def test_sample_path_with_invisible_character_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pipelines.yml"
    file.write_text('p: {source: {topic: a, schema: {sample: "a\\0.csv"}}}')
    with pytest.raises(SampleError, match="without invisible characters"):
        load(file)


@pytest.mark.parametrize(
    ("declared", "key", "allowed"),
    [
        (source(starting={"in": {0: 2**63}}), "source.starting", str(2**63 - 1)),
        (source(ending={"in": {2**31: 1}}), "source.ending", str(2**31 - 1)),
        (source(starting={True: {0: 1}}), "source.starting", "by topic"),
        (source(max_per_trigger=10**5000), "source.max_per_trigger", "to 2147483647"),
        (body(trigger="999999999999999999999 days"), "trigger", "at most 99999999"),
        (body(trigger="\u0661 second"), "trigger", "1 second"),
        (body(resources={"driver_memory": "99999999999g"}), "resources.driver_memory", "9t"),
        (body(resources={"driver_memory": "10000g"}), "resources.driver_memory", "9999g"),
        (body(master="spark://h:70000"), "master", "65535"),
        (body(master="spark://h:0"), "master", "from 1 to 65535"),
        (body(status="h:00"), "status", "from 1 to 65535"),
        (body(status="h:080"), "status", "from 1 to 65535"),
        (source(starting={"in": {"0" * 5000: 1}}), "source.starting", "by topic"),
        (body(master="local[99999999999]"), "master", "9999"),
        (body(status="h:65536"), "status", "65535"),
        (body(kafka_options={"retries": 10**5000}), "kafka_options.retries", "64 bits"),
    ],
)
def test_out_of_range_number_is_refused(declared: dict[str, Any], key: str, allowed: str) -> None:
    (problem,) = find_problems({"p": declared})
    assert problem.key == key
    assert allowed in problem.allowed


def test_largest_numbers_are_allowed() -> None:
    largest = source(starting={"in": {2**31 - 1: 2**63 - 1, "0": 0, "007": 1}})
    most = {"executor_memory": "9t", "driver_memory": "9999g"}
    parse("p", {**largest, "trigger": "99999999 days", "resources": most, "status": "h:65535"})
    parse("p", body(status="h:1", resources={"driver_memory": "9999999999k"}))


@pytest.mark.parametrize("key", ["resources", "rules", "kafka_options", "spark_options"])
def test_mapping_without_value_is_ignored(key: str) -> None:
    assert find_problems({"p": body(**{key: None})}) == ()
    site = {"kafka_options": {"acks": "all"}, "spark_options": {}}
    assert add_site_values("p", body(**{key: None}), site) == add_site_values("p", body(), site)


@pytest.mark.parametrize("key", ["resources", "rules", "kafka_options", "spark_options"])
def test_non_mapping_is_refused_before_merging(key: str) -> None:
    with pytest.raises(DeclarationError, match=f"{key}: found 5; allowed: a mapping"):
        add_site_values("p", body(**{key: 5}), {})


def test_misspelt_key_without_value_is_refused() -> None:
    (problem,) = find_problems({"p": body(resource=None)})
    assert (problem.key, problem.found) == ("resource", "an unknown key")


@pytest.mark.parametrize(
    "line",
    [
        'sasl.jaas.config: x required username="a" password="geheim": foo;',
        "ssl.keystore.password: geh: eim",
        "ssl.key.password: 'geheim",
    ],
)
def test_an_error_in_yaml_has_the_line_number_and_not_the_line(tmp_path: Path, line: str) -> None:
    """A driver serves it, and the line may have a password."""
    file = tmp_path / "p.yml"
    file.write_text(f"name: p\nkafka_options:\n  {line}\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match="line 3, column ") as error:
        load(file)
    assert "geh" not in str(error.value)
