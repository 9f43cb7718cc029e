"""Schema Registry with real clients: rights, faults under load, new secrets, backup and restore."""

import json
import ssl
import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from testing import topic_records
from testing.schema_registry import API, INSTANCES, USERS, Load, Registry, record, subject
from testing.waiting import NotYet, wait_for

TOPIC = "schema-drill"


def test_the_first_schema_is_checked_against_the_next(registry: Registry):
    name = subject()
    client = registry.client()
    first = client.register_schema(name, Schema(record("a"), "AVRO"))
    second = client.register_schema(name, Schema(record("a", "more"), "AVRO"))
    wrong = json.dumps(
        {"type": "record", "name": "a", "fields": [{"name": "id", "type": "string"}]}
    )

    assert first != second
    assert client.get_compatibility() == "BACKWARD"
    assert not client.test_compatibility(name, Schema(wrong, "AVRO"))
    with pytest.raises(SchemaRegistryError) as error:
        client.register_schema(name, Schema(wrong, "AVRO"))
    assert error.value.http_status_code == 409


@pytest.mark.parametrize("form", ["avro", "json"])
def test_records_of_confluents_serializers_are_read_back(registry: Registry, form: str):
    name = f"{TOPIC}-{form}"
    developer, reader = registry.client(), registry.client("reader")
    context = SerializationContext(name, MessageField.VALUE)
    if form == "avro":
        write: Any = AvroSerializer(developer, record("payment", "amount"))
        read: Any = AvroDeserializer(reader)
    else:
        fields = {"id": {"type": "integer"}, "amount": {"type": ["integer", "null"]}}
        schema = json.dumps({"title": "payment", "type": "object", "properties": fields})
        write, read = JSONSerializer(schema, developer), JSONDeserializer(schema, None, reader)
    sent = [{"id": number, "amount": number * 2} for number in range(1_000)]
    bootstrap = registry.cluster.topology.bootstrap

    registry.create_topics(name)
    topic_records.send(bootstrap, name, (write(each, context) for each in sent))

    found = [read(each.value(), context) for each in topic_records.records(bootstrap, name)]
    assert found == sent


@pytest.fixture(scope="module")
def known(registry: Registry) -> int:
    """The id of the first version of the subject `known`.

    So that the endpoints are independent of each other, each subject that one of them changes
    exists, too.
    """
    client, schema = registry.client("admin"), Schema(record("known"), "AVRO")
    number = client.register_schema("known", schema)
    client.register_schema("deleted", schema)
    client.register_schema("reset", schema)
    client.set_compatibility("reset", "FULL")
    return number


# Role, method, path, body. Paths are those of Confluent's API, or begin with /apis. ID is the one
# of `known`.
KNOWN = {"schema": record("known")}
ENDPOINTS = [
    ("reader", "GET", "/subjects", None),
    ("reader", "GET", "/subjects/known/versions", None),
    ("reader", "GET", "/subjects/known/versions/1", None),
    ("reader", "GET", "/subjects/known/versions/latest", None),
    ("reader", "GET", "/schemas/ids/ID", None),
    ("reader", "GET", "/config", None),
    ("reader", "GET", "/config/known?defaultToGlobal=true", None),
    ("reader", "GET", "/mode", None),
    ("reader", "POST", "/subjects/known", KNOWN),
    ("reader", "POST", "/compatibility/subjects/known/versions/latest", KNOWN),
    ("reader", "GET", "/apis/registry/v2/search/artifacts", None),
    ("reader", "GET", "/apis/registry/v3/search/artifacts", None),
    ("developer", "POST", "/subjects/known/versions", KNOWN),
    ("developer", "POST", "/subjects/added/versions", KNOWN),
    ("admin", "PUT", "/config", {"compatibility": "BACKWARD"}),
    ("admin", "PUT", "/config/known", {"compatibility": "FULL"}),
    ("admin", "DELETE", "/config/reset", None),
    ("admin", "DELETE", "/subjects/deleted/versions/1", None),
]


@pytest.mark.parametrize(("role", "method", "path", "body"), ENDPOINTS)
def test_each_endpoint_is_served_to_its_role(
    registry: Registry, known: int, role: str, method: str, path: str, body: Any
):
    path = path.replace("ID", str(known))
    whole = path if path.startswith("/apis/") else API + path
    response = registry.call(registry.login(role), method, whole, body)
    assert response.status_code == 200, response.text


# Role, method, path, body, status.
ANY = {"schema": record("any")}
REFUSALS = [
    ("reader", "POST", "/subjects/x/versions", ANY, 403),
    ("reader", "PUT", "/config", {"compatibility": "NONE"}, 403),
    ("reader", "PUT", "/config/x", {"compatibility": "NONE"}, 403),
    ("reader", "PUT", "/mode", {"mode": "READONLY"}, 403),
    ("reader", "DELETE", "/subjects/known", None, 403),
    ("reader", "DELETE", "/subjects/known/versions/1", None, 403),
    ("reader", "GET", "/apis/registry/v3/admin/export", None, 403),
    ("reader", "POST", "/apis/registry/v3/admin/import", None, 403),
    ("reader", "POST", "/apis/registry/v3/admin/snapshots", None, 403),
    ("developer", "DELETE", "/subjects/known", None, 403),
    ("developer", "DELETE", "/subjects/known?permanent=true", None, 403),
    ("developer", "DELETE", "/subjects/known/versions/1", None, 403),
    ("developer", "PUT", "/config", {"compatibility": "NONE"}, 403),
    ("developer", "PUT", "/config/known", {"compatibility": "NONE"}, 403),
    ("developer", "DELETE", "/config/known", None, 403),
    ("developer", "PUT", "/mode/known", {"mode": "IMPORT"}, 403),
    ("developer", "PUT", "/apis/registry/v3/admin/rules/COMPATIBILITY", {"config": "NONE"}, 403),
    ("developer", "POST", "/apis/registry/v3/groups/default/artifacts", {"artifactId": "x"}, 403),
    ("developer", "DELETE", "/apis/registry/v3/groups/default/artifacts/known", None, 403),
    ("developer", "DELETE", "/apis/registry/v2/groups/default/artifacts/known", None, 403),
    ("developer", "GET", "/apis/registry/v3/admin/export", None, 403),
    ("developer", "POST", "/apis/registry/v3/admin/import", None, 403),
    ("developer", "PUT", "/apis/ccompat/v7//config/known", {"compatibility": "NONE"}, 403),
    ("developer", "PUT", "/apis/ccompat/v7/%63onfig/known", {"compatibility": "NONE"}, 403),
    ("developer", "PUT", "/apis/ccompat/v7/config;a=b/known", {"compatibility": "NONE"}, 403),
    ("developer", "POST", "/subjects/known/versions", {"schema": "{"}, 422),
    ("developer", "POST", "/subjects/known/versions", {"schema": '{"type": "none"}'}, 422),
    # A fault of the registry: it should be 422.
    ("developer", "POST", "/subjects/known/versions", {}, 500),
    ("developer", "GET", "/schemas/ids/2147483647", None, 404),
    ("developer", "GET", "/schemas/ids/none", None, 404),
    ("developer", "GET", "/subjects/never-there/versions", None, 404),
    ("developer", "GET", "/subjects/known/versions/99", None, 404),
    ("developer", "GET", "/subjects/known/versions/x", None, 404),
    ("admin", "PUT", "/config/known", {"compatibility": "SOME"}, 422),
]


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("role", "method", "path", "body", "status"), REFUSALS)
def test_what_is_not_allowed_or_unknown_is_refused(
    registry: Registry, role: str, method: str, path: str, body: Any, status: int
):
    whole = path if path.startswith("/apis/") else API + path
    response = registry.call(registry.login(role), method, whole, body)
    assert response.status_code == status, response.text


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    "path", [f"{API}/subjects", f"{API}/subjects/known/versions/1", "/apis/registry/v3", "/"]
)
def test_nobody_reads_without_a_password(registry: Registry, path: str):
    assert registry.call(None, "GET", path).status_code == 401
    assert registry.call((USERS["reader"], "wrong"), "GET", path).status_code == 401
    assert registry.call(("nobody", "wrong"), "GET", path).status_code == 401


def seconds(registry: Registry, known: int, *urls: str) -> float:
    """Return the median time of a request of a new client with these addresses."""
    spent = []
    for _ in range(20):
        client = registry.client("reader", url=",".join(urls))
        began = time.monotonic()
        client.get_schema(known)
        spent.append(time.monotonic() - began)
    return statistics.median(spent)


def test_a_dead_first_address_costs_at_most_100_ms(registry: Registry, known: int):
    alive = registry.urls()[0]
    without = seconds(registry, known, alive)
    with_dead = seconds(registry, known, f"https://127.0.0.1:1{API}", alive)
    print(f"{without * 1000:.0f} ms, with a dead first address {with_dead * 1000:.0f} ms")
    assert with_dead - without <= 0.1


def test_clients_go_on_when_one_instance_is_killed(registry: Registry):
    with Load(registry) as load:
        for name in INSTANCES:
            registry.kill(name)
            registry.wait_until_ready(name)
            load.wait_for_more(10)
    load.verify()
    # An instance that starts may answer 404, and a client asks no other one then.
    assert [each for each in load.failures if "404" not in each] == []


def test_a_full_restart_never_answers_as_an_empty_registry(registry: Registry):
    count = registry.count()
    with Load(registry) as load:
        registry.kill(*INSTANCES)
        registry.wait_until_ready()
        load.wait_for_more(10)
    load.verify()
    assert registry.count() == count + len(load.made)


@pytest.mark.parametrize("kind", ["kafka", "schema_registry"])
def test_schemas_are_registered_while_instances_restart(registry: Registry, kind: str):
    with Load(registry) as load:
        registry.succeed("restart", S=kind)
        load.wait_for_more(10)
    load.verify()


def served_certificate(registry: Registry) -> str:
    """Return the certificate of the first instance."""
    host, _, port = registry.urls()[0].removeprefix("https://").removesuffix(API).rpartition(":")
    return ssl.get_server_certificate((host, int(port)), timeout=10)


def test_a_renewed_certificate_needs_no_restart(registry: Registry):
    started, before = registry.container(INSTANCES[0]).started(), served_certificate(registry)

    def is_new() -> None:
        if served_certificate(registry) == before:
            raise NotYet("the old certificate")

    registry.succeed("rotate", WHAT="certificates", NAMES=INSTANCES[0])

    wait_for("the new certificate is served", is_new, seconds=60)
    assert registry.client("reader").get_compatibility() == "BACKWARD"
    assert registry.container(INSTANCES[0]).started() == started


def test_a_renewed_password_is_the_only_one_that_is_accepted(registry: Registry):
    old = registry.login("developer")
    with Load(registry) as load:
        registry.succeed("rotate", WHAT="passwords", NAMES=f"schema_registry-{USERS['reader']}")
        registry.succeed("rotate", WHAT="passwords", NAMES=f"schema_registry-{old[0]}")
        registry.read_access()
        load.wait_for_more(10)

    registry.wait_until_ready()
    load.verify()
    assert registry.login("developer") != old
    assert registry.call(old, "GET", f"{API}/subjects").status_code == 401


def test_a_backup_is_restored_with_its_ids(registry: Registry, tmp_path: Path):
    client, file = registry.client(), tmp_path / "schemas.zip"
    names = [subject() for _ in range(100)]
    for name in names:
        client.register_schema(name, Schema(record("d"), "AVRO"))
        client.register_schema(name, Schema(record("d", name.replace("-", "_")), "AVRO"))
    registry.client("admin").set_compatibility(names[0], "FULL")
    before = {name: client.get_latest_version(name) for name in names}
    context = SerializationContext(TOPIC, MessageField.VALUE)
    sent = [{"id": number, "amount": None} for number in range(100)]
    write = AvroSerializer(client, record("written", "amount"))
    values = [write(each, context) for each in sent]
    count = registry.count()

    registry.succeed("schemas-backup", FILE=str(file))
    again = registry.run("schemas-backup", FILE=str(file))
    assert "exists" in again.stdout + again.stderr
    full = registry.run("schemas-restore", FILE=str(file))
    assert full.returncode != 0
    assert "allowed: an empty registry" in full.stdout + full.stderr

    with registry.emptied() as other:
        registry.succeed("schemas-restore", other, FILE=str(file), DRY="1")
        assert registry.count() == 0
        registry.succeed("schemas-restore", other, FILE=str(file))

        assert registry.count() == count
        reader = registry.client("reader")
        # The other instance reads the journal, too.
        wait_for("all subjects are there", lambda: _has(reader, names), seconds=60)
        for name, version in before.items():
            found = reader.get_latest_version(name)
            assert (found.schema_id, found.version) == (version.schema_id, version.version)
            assert found.schema.schema_str == version.schema.schema_str
        assert reader.get_compatibility(names[0]) == "FULL"
        read = AvroDeserializer(registry.client("reader"))
        assert [read(value, context) for value in values] == sent
        # Ids of new schemas do not clash with restored ones.
        added = registry.client().register_schema(subject(), Schema(record("new"), "AVRO"))
        assert added > max(version.schema_id for version in before.values())
    assert registry.count() >= count


def _has(client: SchemaRegistryClient, names: list[str]) -> None:
    for name in names:
        try:
            client.get_latest_version(name)
        except SchemaRegistryError as error:
            raise NotYet(f"{name}: {error}") from error
