"""Pipelines and make produce with the schemas of the cluster's own Schema Registry."""

import json
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema
from testing import faults, pages, pipelines, playbooks, screens, topic_records
from testing.containers import Container
from testing.schema_registry import INSTANCES, Registry, record
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

ROWS = 500
JSON_SCHEMA = json.dumps(
    {
        "title": "payment",
        "type": "object",
        "properties": {"id": {"type": "integer"}, "amount": {"type": ["integer", "null"]}},
    }
)
# First schema of each source, by its format.
SCHEMAS = {
    "avro": Schema(record("payment", "amount"), "AVRO"),
    "json_schema": Schema(JSON_SCHEMA, "JSON"),
}
NAMES = {"avro": "drill-avro", "json_schema": "drill-json"}
# Seconds for which the driver asks for an unknown id, with a retry of the batch.
UNKNOWN_S = 180


@dataclass
class Pipeline:
    """A pipeline whose source has schemas of the registry that it does not name."""

    registry: Registry
    name: str
    # HOST:PORT of its driver's status page.
    status: str
    # File of variables: the content of the cluster with both pipelines.
    content: Path
    # Ids of the rows that `make produce` has sent.
    sent: set[int] = field(default_factory=set)

    @property
    def topics(self) -> tuple[str, str, str]:
        """Return its topics: source, output, invalid records."""
        return self.name, f"{self.name}-out", f"{self.name}-invalid"

    @property
    def container(self) -> Container:
        """Return the container of its driver."""
        cluster = self.registry.cluster
        name = f"{cluster.topology.cluster}-pipeline-{self.name}"
        return cluster.container(Instance(name, "localhost"))

    def declaration(self, form: str) -> dict[str, Any]:
        """Return its declaration."""
        source, output, invalid = self.topics
        schema = "id BIGINT NOT NULL, amount BIGINT"
        return {
            "source": {
                "topic": source,
                "format": form,
                "schema": schema,
                "starting": "earliest",
            },
            "outputs": {"all": {"sql": "SELECT id, amount FROM events", "topic": output}},
            "invalid": invalid,
            "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
        }

    @property
    def subject(self) -> str:
        """Return the subject of its source."""
        return f"{self.name}-value"

    def register(self, *fields: str) -> None:
        """Register a version of its source's Avro schema."""
        schema = Schema(record("payment", "amount", *fields), "AVRO")
        self.registry.client().register_schema(self.subject, schema)

    def produce(self, folder: Path, **fields: int) -> str:
        """Send new rows by `make produce`, with the latest version; return its output."""
        ids = range(len(self.sent), len(self.sent) + ROWS)
        file = folder / f"{self.name}.jsonl"
        rows = ({"id": each, "amount": each, **fields} for each in ids)
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        output = self.registry.succeed(
            "produce", FILE=str(file), TOPIC=self.name, SUBJECT=self.subject, KEY="id"
        )
        self.sent.update(ids)
        latest = self.registry.client().get_latest_version(self.subject)
        assert f"format: version {latest.version} of {self.subject}" in output
        return output

    def wait_until_read(self) -> None:
        """Wait until the output has the sent rows and no others, and assert that none is invalid.

        A batch that is repeated may write some of its rows twice.
        """

        def read() -> None:
            found = {json.loads(value)["id"] for value in self.values(self.topics[1])}
            assert found <= self.sent
            if found != self.sent:
                raise NotYet(f"{len(found)} of {len(self.sent)} rows; {self.state()}")

        wait_for("every record is in the output", read, seconds=180)
        assert self.values(self.topics[2]) == []

    def values(self, topic: str) -> list[bytes]:
        """Return the values of a topic's records."""
        bootstrap = self.registry.cluster.topology.bootstrap
        return [each.value() for each in topic_records.records(bootstrap, topic)]

    def state(self) -> dict[str, Any]:
        """Return the driver's status; NotYet while it does not respond."""
        try:
            found: dict[str, Any] = pages.get(self.status, "/status")
        except OSError as error:
            raise NotYet(str(error)) from error
        return found

    def wait_until_running(self, seconds: float) -> None:
        """Wait until the driver and all outputs run."""

        def runs() -> None:
            if (state := self.state())["state"] != "running":
                raise NotYet(str(state))

        wait_for(f"the driver of {self.name} runs", runs, seconds)


@contextmanager
def no_registry(registry: Registry) -> Iterator[None]:
    """Stop both instances; at the end both are ready again."""
    with ExitStack() as both:
        for name in INSTANCES:
            both.enter_context(faults.stopped(registry.cluster, registry.instance(name)))
        yield
    registry.wait_until_ready()


@pytest.fixture(scope="module")
def declared(registry: Registry, tmp_path_factory) -> Iterator[dict[str, Pipeline]]:
    """Two pipelines, by format; their topics are empty."""
    cluster = registry.cluster
    content = deepcopy(cluster.topology.content)
    host, _, port = cluster.topology.drivers["payments"].endpoint.rpartition(":")
    found, file = {}, tmp_path_factory.mktemp("declared") / "content.json"
    for form, name in NAMES.items():
        place = len(content["pipeline_pipelines"])
        found[form] = Pipeline(registry, name, f"{host}:{int(port) + place}", file)
        content["pipeline_pipelines"][name] = found[form].declaration(form)
        content["kafka_content_topics"] |= {topic: {} for topic in found[form].topics}
        # Without a schema, a driver waits, and the run fails.
        registry.client().register_schema(found[form].subject, SCHEMAS[form])
    file.write_text(json.dumps(content))
    # `make produce` needs the operator's files.
    registry.succeed("access", U="operator")
    try:
        registry.succeed("pipelines", f"-e @{file}")
        yield found
    finally:
        # A driver that is removed by hand is a problem of `make status`.
        registry.run("up")
        for each in found.values():
            pipelines.remove(cluster, each.name, *each.topics)


def test_make_produce_encodes_what_a_pipeline_reads(declared: dict[str, Pipeline], tmp_path: Path):
    for form, pipeline in declared.items():
        output = pipeline.produce(tmp_path)
        assert f"source.format {form}" in output
        assert f"acknowledged {ROWS}" in output
        assert {each[:1] for each in pipeline.values(pipeline.name)} == {b"\0"}
        pipeline.wait_until_read()
        assert pipeline.state()["state"] == "running"


def test_make_produce_sends_nothing_that_does_not_fit_the_schema(
    declared: dict[str, Pipeline], tmp_path: Path
):
    pipeline, file = declared["avro"], tmp_path / "wrong.jsonl"
    file.write_text('{"id": 1, "amount": 1}\n{"id": "x", "amount": 1}\n')
    before = pipeline.registry.cluster.brokers.end(pipeline.name)
    variables = {"FILE": str(file), "TOPIC": pipeline.name}

    for subject, message in {
        pipeline.subject: "line 2, column 1: found",
        "never-there": "subject never-there: ",
    }.items():
        done = pipeline.registry.run("produce", SUBJECT=subject, **variables)
        assert done.returncode != 0
        assert message in done.stdout + done.stderr
        assert "nothing was sent" in done.stdout + done.stderr

    assert pipeline.registry.cluster.brokers.end(pipeline.name) == before


def test_a_new_version_is_read_while_the_pipeline_runs(
    declared: dict[str, Pipeline], tmp_path: Path
):
    pipeline = declared["avro"]
    started = pipeline.container.started()
    pipeline.register("more")

    pipeline.produce(tmp_path, more=1)

    pipeline.wait_until_read()
    assert pipeline.container.started() == started


def test_a_new_version_is_read_from_the_instance_that_runs(
    declared: dict[str, Pipeline], tmp_path: Path
):
    pipeline = declared["avro"]
    registry, started = pipeline.registry, pipeline.container.started()
    # The first address of the driver and of `make produce`.
    with faults.dead(registry.cluster, registry.instance(INSTANCES[0])):
        pipeline.register("more", "most")
        pipeline.produce(tmp_path, more=1, most=1)
        pipeline.wait_until_read()
    registry.wait_until_ready()
    assert pipeline.container.started() == started


def test_a_driver_waits_for_a_registry_that_does_not_respond(
    declared: dict[str, Pipeline], tmp_path: Path
):
    pipeline = declared["avro"]
    registry = pipeline.registry
    pipeline.produce(tmp_path)
    pipeline.wait_until_read()

    def waits() -> None:
        state = pipeline.state()
        errors = {each["exception"] or "" for each in state["outputs"].values()}
        if state["state"] != "failing" or not all("/subjects/" in each for each in errors):
            raise NotYet(f"{state['state']}: {errors}")

    with no_registry(registry):
        before = pipeline.container.kill()
        pipeline.container.wait_until_back(before, 60)
        wait_for("the driver waits for its registry", waits, seconds=120)
        again = pipeline.container.started()

    pipeline.wait_until_running(180)
    # It did not end meanwhile.
    assert pipeline.container.started() == again
    pipeline.wait_until_read()


def require_reading(pipeline: Pipeline) -> None:
    """Assert that a further record gets to the output; its schema is known."""
    source, output, _ = pipeline.topics
    before = len(pipeline.values(output))
    again = pipeline.values(source)[-1]
    topic_records.send(pipeline.registry.cluster.topology.bootstrap, source, [again])

    def read() -> None:
        if len(pipeline.values(output)) == before:
            raise NotYet(str(pipeline.state()))

    wait_for("the record is in the output", read, seconds=60)


def wait_for_declaration(pipeline: Pipeline, wanted: str) -> None:
    """Wait until the driver runs the declaration with a digest."""

    def runs() -> None:
        if (state := pipeline.state())["declaration"] != wanted or state["state"] != "running":
            raise NotYet(str(state))

    wait_for("the declaration runs", runs, seconds=60)


def test_the_running_declaration_continues_until_the_changed_one_has_its_schemas(
    declared: dict[str, Pipeline],
):
    pipeline = declared["avro"]
    registry, cluster = pipeline.registry, pipeline.registry.cluster
    machine, started = cluster.shell("localhost"), pipeline.container.started()
    path = f"/etc/kafka-metal/{pipeline.container.name}/pipeline.yml"
    before = pipeline.state()

    def waits() -> str:
        if not (error := str(pipeline.state()["declaration_error"])):
            raise NotYet("no reason")
        return error

    machine.check_output("cp --preserve %s %s.before", path, path)
    try:
        with no_registry(registry):
            change = "s/FROM events/FROM events WHERE id >= 0/"
            machine.check_output("sed --in-place=.old --expression %s %s", change, path)
            error = wait_for("the driver has a reason", waits, seconds=60)
            assert "schema registry" in error
            require_reading(pipeline)
            assert pipeline.state()["declaration"] == before["declaration"]
            registry.run("status", f"-e @{pipeline.content}")
            state = json.loads(
                (playbooks.state(cluster.topology.cluster) / "state.json").read_text()
            )
            listed = screens.listed(state)
            reason = listed["PipelineChangeRefused", f"pipeline-{pipeline.name}"]
            assert " ".join(error.split()) in reason
        changed = pipeline.state()["declaration_in_file"]
        assert changed != before["declaration"]
        wait_for_declaration(pipeline, changed)
        require_reading(pipeline)
    finally:
        machine.check_output("mv %s.before %s", path, path)
        machine.run("rm %s.old", path)
    wait_for_declaration(pipeline, before["declaration"])
    assert pipeline.state()["id"] == before["id"]
    assert pipeline.container.started() == started


def test_make_pipelines_reports_that_a_changed_declaration_gets_no_schemas(
    declared: dict[str, Pipeline], tmp_path: Path
):
    pipeline = declared["avro"]
    started, before = pipeline.container.started(), pipeline.state()["declaration"]
    content = json.loads(pipeline.content.read_text())
    output = content["pipeline_pipelines"][pipeline.name]["outputs"]["all"]
    output["sql"] += " WHERE id >= 0"
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(content))

    with no_registry(pipeline.registry):
        refused = pipeline.registry.run("pipelines", f"-e @{file}")
        assert refused.returncode != 0
        assert "the schema registry gives no schema" in refused.stdout
        assert "it has not stopped, and continues with its earlier declaration" in refused.stdout
        assert pipeline.state()["declaration"] == before
        require_reading(pipeline)

    # The reason of the run before is outdated, also while requests to the first address time out.
    first = pipeline.registry.instance(INSTANCES[0])
    with faults.frozen(pipeline.registry.cluster, first):
        pipeline.registry.succeed("pipelines", f"-e @{file}")
    assert pipeline.state()["declaration"] != before
    require_reading(pipeline)
    assert pipeline.container.started() == started


def test_a_record_with_an_unknown_id_is_invalid_after_a_minute(declared: dict[str, Pipeline]):
    pipeline = declared["json_schema"]
    source, _, invalid = pipeline.topics
    bootstrap = pipeline.registry.cluster.topology.bootstrap
    topic_records.send(bootstrap, source, [struct.pack(">bI", 0, 2**31 - 1) + b'{"id": -1}'])

    def reported() -> None:
        if not (found := pipeline.values(invalid)):
            raise NotYet(str(pipeline.state()))
        (one,) = map(json.loads, found)
        assert one["reason"] == "unknown_schema"

    wait_for("the record is invalid", reported, seconds=UNKNOWN_S)
    pipeline.wait_until_running(60)
