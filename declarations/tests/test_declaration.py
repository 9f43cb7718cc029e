"""Valid declarations, and the errors of invalid ones."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from kafka_metal_declarations import documents
from kafka_metal_declarations.declaration import (
    DeclarationError,
    find_problems,
    parse,
    parse_all,
    pipeline_topics,
)
from kafka_metal_declarations.declared_site import missing_to_run
from kafka_metal_declarations.model import Metadata, Registry, RegistrySite, Watermark
from kafka_metal_declarations.needs import read_needs
from kafka_metal_declarations.sample import with_schemas

DATA = Path(__file__).parent / "data"
SCHEMA = "id STRING NOT NULL, at TIMESTAMP, seen TIMESTAMP, n INT"


def body(**changes: Any) -> dict[str, Any]:
    """A valid declaration with some keys replaced, or removed if their value is None."""
    whole = {
        "source": {"topic": "in", "schema": SCHEMA},
        "outputs": {"all": {"sql": "SELECT * FROM events", "topic": "out"}},
        "invalid": "bad",
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def source(**changes: Any) -> dict[str, Any]:
    return body(source={"topic": "in", "schema": SCHEMA, **changes})


def output(**keys: Any) -> dict[str, Any]:
    return body(outputs={"all": keys})


def messages(declared: Any) -> list[str]:
    return [str(problem) for problem in find_problems({"p": declared})]


def test_delivered_declarations_are_valid() -> None:
    pipelines = yaml.safe_load((DATA / "payments.yml").read_text())
    found = parse_all(with_schemas(pipelines, DATA))
    assert pipeline_topics(found["payments"]) == {
        "reads": ["payments"],
        "writes": ["fraudulent_payments", "payment_metrics", "payments_invalid"],
    }
    assert pipeline_topics(found["late_flights"]) == {
        "reads": ["flights"],
        "writes": ["flights_invalid", "late_flights"],
    }
    metrics = found["payments"].outputs[1]
    assert (metrics.mode, metrics.watermark) == ("update", Watermark("eventTime", "10 minutes"))


def test_short_form_is_one_output() -> None:
    short = body(
        outputs=None, sql="SELECT id FROM events", topic="out", key="id", trigger="5 seconds"
    )
    (only,) = parse("p", short).outputs
    assert (only.name, only.topic, only.key, only.trigger) == ("output", "out", "id", "5 seconds")


def test_optional_keys_have_defaults() -> None:
    declared = parse("p", output(path="all"))
    (archive,) = declared.outputs
    assert archive.sql == "SELECT * FROM events"
    assert archive.trigger == "10 seconds"
    assert (declared.trigger, declared.source.format) == ("1 second", "json")
    assert (declared.source.starting, declared.source.duplicate_keys) == ("earliest", "refuse")
    assert (
        parse("p", {**output(path="all"), "trigger": "1 minute"}).outputs[0].trigger == "1 minute"
    )


def test_only_instant_is_the_event_time() -> None:
    one = parse("p", source(schema="id STRING, at TIMESTAMP"))
    assert one.source.event_time == "at"
    assert parse("p", body()).source.event_time is None
    assert parse("p", source(event_time="seen")).source.event_time == "seen"


@pytest.mark.parametrize(
    ("declared", "key", "found", "allowed"),
    [
        (body(source=None), "source", "nothing", "a mapping"),
        (body(source=[]), "source", "[]", "a mapping"),
        (body(outputs={}), "outputs", "none", "at least one output"),
        (body(invalid=None), "invalid", "nothing", "a topic"),
        (body(invalid="in"), "invalid", "in", "other than the source"),
        (body(sorce={}), "sorce", "an unknown key", "source (did you mean that?)"),
        (body(trigger="often"), "trigger", "often", "1 second"),
        (body(resources={"core": 1}), "resources.core", "an unknown key", "cores (did you mean"),
        (body(resources={"cores": 0}), "resources.cores", "0", "a whole number from 1"),
        (body(resources={"cores": True}), "resources.cores", "True", "a whole number"),
        (body(resources={"driver_memory": "1 GB"}), "resources.driver_memory", "1 GB", "2g"),
        (source(topic="a b"), "source.topic", "a b", "a topic"),
        (source(topic=".."), "source.topic", "..", "a topic"),
        (source(format="xml"), "source.format", "xml", "json, csv, plain"),
        (source(starting="now"), "source.starting", "now", "earliest, latest"),
        (source(max_per_trigger="5"), "source.max_per_trigger", "'5'", "a whole number"),
        (source(delimiter=";"), "source.delimiter", "format json", "only with format csv"),
        (source(format="csv", delimiter="ab"), "source.delimiter", "ab", "one character"),
        (source(format="csv", schema="a ARRAY<INT>"), "source.schema", "nested fields a", "flat"),
        (source(format="plain"), "source.schema", SCHEMA, "one STRING field"),
        (source(event_time="n"), "source.event_time", "n", "at, seen"),
        (source(schema=None), "source.schema", "nothing", "DDL"),
        (source(schema={"sample": "x.csv"}), "source.schema.sample", "a sample", "inferred"),
        (source(schema="id"), "source.schema", "'id' is not a field", "DDL"),
        (source(schema="id STRNG"), "source.schema", "did you mean STRING?", "DDL"),
        (source(schema="id INT, ID INT"), "source.schema", "declared twice", "DDL"),
        (source(schema="_offset INT"), "source.schema", "always added", "DDL"),
        (source(schema="a STRUCT<b: INT NOT NULL>"), "source.schema", "whole fields", "DDL"),
        (source(schema="a ARRAY<INT"), "source.schema", "never closed", "DDL"),
        (output(sql="SELECT * FROM events"), "outputs.all.topic", "nothing", "one of topic"),
        (output(topic="o", path="x", sql="TABLE events"), "outputs.all.topic", "topic and", "one"),
        (output(topic="out"), "outputs.all.sql", "nothing", "a SELECT from events"),
        (output(topic="out", sql="SELECT 1"), "outputs.all.sql", "SELECT 1", "from events"),
        (output(topic="in", sql="TABLE events"), "outputs.all.topic", "in", "other than in and"),
        (output(path="../x"), "outputs.all.path", "../x", "without '..'"),
        (output(path="/x"), "outputs.all.path", "/x", "a relative path"),
        (output(path="x", key="id"), "outputs.all.key", "this key", "only with topic"),
        (output(path="x", mode="update"), "outputs.all.mode", "update", "append"),
        (output(path="x", partition_by="date"), "outputs.all.partition_by", "date", "a list"),
        (output(path="x", partition_by=["date"]), "outputs.all.partition_by", "date", "event_time"),
        (
            output(topic="out", sql="TABLE events", watermark={"column": "n", "delay": "1 day"}),
            "outputs.all.watermark.column",
            "n",
            "at, seen, _timestamp",
        ),
        (
            output(topic="out", sql="TABLE events", watermark={"column": "at", "delay": "5"}),
            "outputs.all.watermark.delay",
            "5",
            "10 minutes",
        ),
        (body(rules={"late": "at < now()"}), "rules.late", "now(", "_timestamp"),
        (body(rules={"late": "at < current_timestamp"}), "rules.late", "current_timestamp", "_tim"),
        (body(rules={"empty": "id > ''"}), "rules.empty", "this name", "a name other than"),
        (body(use="archve"), "use", "archve", "archive (did you mean that?)"),
        (source(format="jsn"), "source.format", "jsn", "json (did you mean that?)"),
        (source(event_time="sen"), "source.event_time", "sen", "seen (did you mean that?)"),
        (source(topics=["a"]), "source.topics", "topic and topics", "one of them"),
        (body(source={"topics": [], "schema": "id INT"}), "source.topics", "none", "at least one"),
        (
            body(source={"topics": ["a", "a"], "schema": "id INT"}),
            "source.topics",
            "a more than once",
            "each topic once",
        ),
        (body(source={"topic": "in", "format": "bytes", "schema": "n INT"}, invalid=None),
         "source.schema", "a schema", "none with format bytes"),
        (source(path="../raw"), "source.path", "../raw", "without '..'"),
        (source(path="raw", starting="latest"), "source.starting", "this key", "without path"),
        (source(starting={"in": {"x": 1}}), "source.starting", "in: {'x': 1}", "{payments: {0:"),
        (source(starting={"in": {0: -1}}), "source.starting", "in: {0: -1}", "by topic and part"),
        (source(ending="erliest"), "source.ending", "erliest", "latest"),
        (
            output(topic="out", sql="TABLE events", delivery="exactly_once"),
            "outputs.all.delivery",
            "exactly_once",
            "at_least_once",
        ),
        (
            output(path="x", delivery="transactional"),
            "outputs.all.delivery",
            "this key",
            "only with topic",
        ),
        (
            output(topic="out", sql="TABLE events", metadata={"app": "x"}),
            "outputs.all.metadata.app",
            "an unknown key",
            "application",
        ),
        (
            output(table="paid", database="d", sql="TABLE events"),
            "outputs.all.keys",
            "nothing",
            "columns of the table's key",
        ),
        (
            output(table="paid", keys=["id"], sql="TABLE events"),
            "outputs.all.database",
            "nothing",
            "a name of databases",
        ),
        (
            output(table="Paid", keys=["id"], database="d", sql="TABLE events"),
            "outputs.all.table",
            "Paid",
            "lower-case",
        ),
        (
            {
                **output(table="t", keys=["id"], database="shp", sql="TABLE events"),
                "databases": {"shop": {"url": "jdbc:postgresql://h/shop"}},
            },
            "outputs.all.database",
            "shp",
            "shop (did you mean that?)",
        ),
        (body(databases={"d": {"url": "postgres://h"}}), "databases.d.url", "postgres:", "jdbc:"),
        (
            body(databases={"d": {"url": "jdbc:x:y", "properties": {"password": "s"}}}),
            "databases.d.properties.password",
            "a password",
            "password_file",
        ),
        (body(rules={"r": "n > 0"}, source={"topic": "in", "format": "bytes"}, invalid=None),
         "invalid", "nothing", "a topic"),
        (body(source={"topic": "in", "format": "bytes"}), "invalid", "this key", "can be invalid"),
        (body(marks_topic="a b"), "marks_topic", "a b", "a topic"),
        (body(master="yarn"), "master", "yarn", "spark://HOST:PORT"),
        (body(bootstrap=["broker"]), "bootstrap", "['broker']", "HOST:PORT"),
        (body(status="4050"), "status", "4050", "HOST:PORT"),
        (body(driver_port=70000), "driver_port", "70000", "65535"),
        (body(checkpoint_root="shared"), "checkpoint_root", "shared", "an absolute path"),
        (body(kafka_options={"acks": ["all"]}), "kafka_options.acks", "['all']", "text"),
        (
            body(kafka_options={"acks": "all", "kafka.acks": "1"}),
            "kafka_options.kafka.acks",
            "another spelling of kafka_options.acks",
            "one spelling of each option",
        ),
    ],
)  # fmt: skip
def test_error_names_key_found_and_allowed(
    declared: dict[str, Any], key: str, found: str, allowed: str
) -> None:
    problems = find_problems({"p": declared})
    assert [(problem.pipeline, problem.key) for problem in problems] == [("p", key)]
    assert found in problems[0].found
    assert allowed in problems[0].allowed


@pytest.mark.parametrize(
    "declared",
    [
        body(databases={"d": {"url": "postgresql://shop:AAAA@h/d"}}),
        body(databases={"d": {"url": "postgresql://h/d?user=shop&password=AAAA"}}),
        body(databases={"d": {"url": "jdbc:postgresql://shop:AA AAAA@h/d"}}),
        body(databases={"d": {"url": ["jdbc:postgresql://shop:AAAA@h/d"]}}),
        body(databases={"d": "jdbc:postgresql://shop:AAAA@h/d"}),
        body(checkpoint_root="s3a:a:AAAA@bucket"),
        body(bootstrap=["shop:AAAA@h:9092"]),
        source(format="avro", registry={"url": "https://shop:AAAA@h/apis"}),
    ],
)
def test_errors_on_urls_hide_passwords(declared: dict[str, Any]) -> None:
    (problem,) = find_problems({"p": declared})
    assert "AAAA" not in str(problem)
    assert "@h" in problem.found or "hidden" in problem.found


REGISTERED = {"format": "avro", "schema": "id STRING"}


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (source(registry={}), "source.registry: found format json; allowed: this key only with"),
        (source(**REGISTERED, registry={"url": "x"}), "registry.url: found x; allowed: an http or"),
        (source(**REGISTERED, registry={"urls": []}), "registry.urls: found none"),
        (source(**REGISTERED, registry={"urls": ["x"]}), "registry.urls: found ['x']; allowed: a"),
        (
            source(**REGISTERED, registry={"url": "http://a", "urls": ["http://b"]}),
            "registry.urls: found url and urls; allowed: one of them",
        ),
        (source(**REGISTERED, registry={"user": "x"}), "source.registry.user: found an unknown"),
        (
            body(source={"topics": ["a", "b"], **REGISTERED}),
            "source.topics: found more than one; allowed: one topic with format avro",
        ),
        (
            source(format="avro", duplicate_keys="last"),
            "this key only with format json or json_schema",
        ),
        (body(registry={"ca_file": "/ca.pem"}), "registry.urls: found none"),
        (
            body(registry={"urls": ["http://a"], "ca_file": "ca.pem"}),
            "registry.ca_file: found ca.pem; allowed: an absolute path",
        ),
    ],
)
def test_errors_of_registries(declared: dict[str, Any], message: str) -> None:
    assert [each for each in messages(declared) if message in each], messages(declared)


def test_a_source_has_the_registry_of_the_site_unless_it_names_one() -> None:
    site = {"urls": ["https://a/v7/", "https://b/v7"], "ca_file": "/ca", "credentials_file": "/x"}
    own = parse("p", body(source={"topic": "in", **REGISTERED}, registry=site)).source.registry
    assert own == Registry("in-value", RegistrySite(("https://a/v7", "https://b/v7"), "/ca", "/x"))
    named = {"topic": "in", **REGISTERED, "registry": {"url": "http://c", "subject": "s"}}
    other = parse("p", body(source=named, registry=site)).source.registry
    assert other == Registry("s", RegistrySite(("http://c",)))
    assert parse("p", body(registry=site)).source.registry is None


def test_a_source_with_schemas_of_a_registry_needs_one_to_run() -> None:
    whole = body(source={"topic": "in", **REGISTERED}, bootstrap=["h:1"], checkpoint_root="/c")
    assert missing_to_run(parse("p", whole)) == ["registry"]
    assert missing_to_run(parse("p", {**whole, "registry": {"urls": ["http://a"]}})) == []
    named = {"topic": "in", **REGISTERED, "registry": {"url": "http://c"}}
    assert [read_needs(each).registry for each in (whole, body(source=named), body())] == [
        True,
        False,
        False,
    ]


def test_names_of_client_options_are_normalised() -> None:
    declared = parse("p", body(kafka_options={"kafka.Max.Request.Size": 5, "ACKS": "all"}))
    assert declared.site.kafka_options == {"max.request.size": "5", "acks": "all"}


@pytest.mark.parametrize(
    ("declared", "key", "allowed"),
    [
        ({"use": "archive", "topics": ["a"]}, "outputs.archive.topic", "one of topic, path"),
        ({"use": "archive", "topic": "a", "path": "/raw"}, "outputs.archive.path", "a relative"),
        ({"use": "archive", "topics": ["a"], "pth": "raw"}, "pth", "path (did you mean that?)"),
        ({"use": "copy", "to": "b"}, "from", "a mapping"),
        ({"use": "copy", "from": {"topc": "a"}, "to": "b"}, "from.topc", "topic (did you mean"),
        ({"use": "copy", "from": {"topic": "a"}, "to": "a"}, "outputs.copy.topic", "other than a"),
        ({"use": "replay", "from": {"path": "raw"}, "to": "b"}, "source.topic", "a topic"),
        ({"use": "validate", "source": {"topic": "a"}, "invalid": "b"}, "source.schema", "DDL"),
        ({"use": "validate", "source": {"topic": "a", "schema": "n INT"}}, "invalid", "a topic"),
    ],
)
def test_error_in_a_template_names_key_and_allowed(
    declared: dict[str, Any], key: str, allowed: str
) -> None:
    problems = find_problems({"p": declared})
    assert [problem.key for problem in problems] == [key]
    assert allowed in problems[0].allowed


def test_templates_are_expanded() -> None:
    archive = parse("keep", {"use": "archive", "topics": ["a", "b"], "path": "raw"})
    assert archive.outputs[0].partition_by == ("topic", "date")
    assert (archive.invalid, pipeline_topics(archive)) == (
        None,
        {"reads": ["a", "b"], "writes": []},
    )
    replay = parse("r", {"use": "replay", "from": {"path": "raw", "topic": "a"}, "to": "a2"})
    assert (replay.source.name, replay.trigger) == ("archive raw: a", "available-now")
    assert pipeline_topics(replay) == {"reads": [], "writes": ["a2"]}
    some = {"topic": "a", "starting": {"a": {0: 5}}, "ending": {"a": {0: 9}}}
    assert parse("r", {"use": "replay", "from": some, "to": "b"}).source.ending == {"a": {"0": 9}}
    copy = parse("c", {"use": "copy", "from": {"topic": "a"}, "to": "b", "where": "value != ''"})
    assert copy.outputs[0].metadata == Metadata(application="c", schema="bytes")
    assert copy.outputs[0].sql == "SELECT * FROM events WHERE value != ''"
    checked = {"use": "validate", "source": {"topic": "a", "schema": "n INT"}, "invalid": "bad"}
    assert (parse("v", checked).outputs, parse("v", checked).invalid) == ((), "bad")


def test_duplicate_key_error_names_the_line() -> None:
    with pytest.raises(yaml.YAMLError) as error:
        documents.read("source: {topic: a}\nrules: {}\nsource: {topic: b}\n")
    assert "found key 'source' a second time" in str(error.value)
    assert "line 3" in str(error.value)
    merged = documents.read("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}")
    assert merged["b"] == {"x": 3, "y": 2}


def test_all_errors_are_reported_at_once() -> None:
    wrong = {**source(topic="a b", format="xml"), "invalid": "c d"}
    with pytest.raises(DeclarationError) as error:
        parse("p", wrong)
    assert str(error.value).count("\n") == 2


def test_rule_may_contain_a_refused_function_as_text() -> None:
    assert messages(body(rules={"named": "id <> 'now()' AND n > 0"})) == []


def test_overlapping_archives_are_refused() -> None:
    outer, inner = output(path="all"), output(path="all/days")
    problems = find_problems({"one": outer, "two": inner})
    assert [str(problem) for problem in problems] == [
        "pipeline two: outputs.all.path: found all/days; "
        "allowed: a path that does not overlap all of one, output all"
    ]


def test_sparks_forms_of_names_and_types_are_parsed() -> None:
    schema = (
        "`odd name` string COMMENT 'a, b' , d: decimal(10, 2) not null, s STRUCT<a: INT, b: INT>"
    )
    fields = parse("p", source(schema=schema)).source.fields
    assert [(field.name, field.type, field.required) for field in fields] == [
        ("odd name", "STRING", False),
        ("d", "DECIMAL(10, 2)", True),
        ("s", "STRUCT<a: INT, b: INT>", False),
    ]
