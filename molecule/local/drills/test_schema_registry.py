"""Schema Registry with real clients: rights, faults, backup and restore."""

import json
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from confluent_kafka import Producer
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from kafka.admin import NewTopic
from testing import access, playbooks, topic_records
from testing.cluster import Cluster
from testing.containers import Container
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

INVENTORY = Path(__file__).resolve().parents[1] / "registry"
USERS = {"admin": "registry-admin", "developer": "payments-app", "reader": "payments-reader"}
TOPIC = "schema-drill"
INSTANCES = ("schema-registry1", "schema-registry2")
API = "/apis/ccompat/v7"


@dataclass
class Registry:
    """The registry, its instances, and the files that `make access` wrote, by role."""

    cluster: Cluster
    make: Callable[..., Any]
    settings: dict[str, dict[str, Any]]

    def client(self, role: str = "developer") -> SchemaRegistryClient:
        """Return Confluent's client with the written settings."""
        return SchemaRegistryClient(dict(self.settings[role]))

    def container(self, name: str) -> Container:
        """Return the container of an instance."""
        return self.cluster.container(
            Instance(f"{self.cluster.topology.cluster}-{name}", "localhost")
        )

    def call(
        self, login: tuple[str, str] | None, method: str, path: str, body: Any = None
    ) -> requests.Response:
        """Send a request to the first instance; ``path`` is one of the server."""
        found = self.settings["reader"]
        url = found["url"].split(",")[0].removesuffix(API)
        return requests.request(
            method, url + path, auth=login, verify=found["ssl.ca.location"], json=body, timeout=60
        )

    def login(self, role: str) -> tuple[str, str]:
        """Return name and password."""
        name, _, password = self.settings[role]["basic.auth.user.info"].partition(":")
        return name, password

    def wait_until_ready(self) -> None:
        """Wait until every instance has read all schemas."""
        for name in INSTANCES:
            wait_for(f"{name} is ready", self.container(name).check_health, seconds=180)


def record(name: str, *fields: str) -> str:
    """Return an Avro schema whose fields are optional numbers, except the first."""
    listed = [{"name": "id", "type": "long"}]
    listed += [{"name": each, "type": ["null", "long"], "default": None} for each in fields]
    return json.dumps({"type": "record", "name": name, "fields": listed})


def subject() -> str:
    """Return a name that no other test uses."""
    return f"s-{uuid.uuid4().hex[:12]}"


def up(make: Callable[..., Any], more: str = "") -> None:
    done = make("up", args=f"-i {INVENTORY} {more}", seconds=900)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.fixture(scope="module")
def registry(platform: Cluster, make: Callable[..., Any]) -> Iterator[Registry]:
    platform.wait_until_whole()
    try:
        up(make)
        settings = {}
        for role, user in USERS.items():
            done = make("access", args=f"-i {INVENTORY}", U=user)
            assert done.returncode == 0, done.stdout + done.stderr
            state = playbooks.state(platform.topology.cluster)
            file = state / "schema_registry" / user / "schema-registry.json"
            settings[role] = json.loads(file.read_text())
        yield Registry(platform, make, settings)
    finally:
        remove(platform)
        make("up", seconds=900)


def remove(cluster: Cluster) -> None:
    """Delete the instances with their files and topics, also those of the restore."""
    machine = cluster.machine(next(iter(cluster.topology.drivers.values())))
    for name in INSTANCES:
        container = f"{cluster.topology.cluster}-{name}"
        machine.run("docker rm --force --volumes %s", container)
        for folder in ("/etc/kafka-metal", "/etc/kafka-metal/.as-left"):
            machine.run("rm --recursive --force %s/%s", folder, container)
    with access.admin(cluster.topology.bootstrap) as admin:
        wanted = [name for name in admin.list_topics() if name.startswith(("schema-", "second-"))]
        if wanted:
            admin.delete_topics(wanted)


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
    cluster, name = registry.cluster, f"{TOPIC}-{form}"
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
    bootstrap = cluster.topology.bootstrap

    with access.admin(bootstrap) as admin:
        admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=3)])
    producer = Producer({"bootstrap.servers": bootstrap, **access.librdkafka()})
    for each in sent:
        producer.produce(name, write(each, context), partition=0)
    assert producer.flush(60) == 0

    found = [read(each.value(), context) for each in topic_records.records(bootstrap, name)]
    assert found == sent


# Role, method, path, body, status. Paths are those of Confluent's API, or begin with /apis.
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


@pytest.fixture(scope="module")
def known(registry: Registry) -> str:
    """A subject that exists."""
    registry.client().register_schema("known", Schema(record("known"), "AVRO"))
    return "known"


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


def test_clients_go_on_when_one_instance_is_killed(registry: Registry):
    client = registry.client()
    name = subject()
    number = client.register_schema(name, Schema(record("a"), "AVRO"))

    registry.container(INSTANCES[0]).kill()
    # Without the client's cache.
    assert registry.client("reader").get_schema(number).schema_str
    added = [
        client.register_schema(f"{name}-{each}", Schema(record(f"b{each}"), "AVRO"))
        for each in range(20)
    ]

    registry.wait_until_ready()
    for number in added:
        assert registry.client("reader").get_schema(number).schema_str


def test_a_full_restart_never_answers_as_an_empty_registry(registry: Registry):
    client = registry.client()
    names = {subject() for _ in range(50)}
    numbers = {name: client.register_schema(name, Schema(record("c"), "AVRO")) for name in names}

    for name in INSTANCES:
        registry.container(name).kill()
    registry.wait_until_ready()

    reader = registry.client("reader")
    assert names <= set(reader.get_subjects())
    for name, number in numbers.items():
        assert reader.get_latest_version(name).schema_id == number


def test_schemas_are_registered_while_brokers_and_instances_restart(registry: Registry):
    prefix, made = subject(), {}

    def register() -> int:
        client, number = registry.client(), 0
        while not done:
            name = f"{prefix}-{number}"
            try:
                made[name] = client.register_schema(name, Schema(record(f"r{number}"), "AVRO"))
            except (SchemaRegistryError, OSError) as error:
                failures.append(f"{name}: {error}")
            number += 1
        return number

    done, failures = [], list[str]()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(register)
        for kind in ("kafka", "schema_registry"):
            restarted = registry.make("restart", args=f"-i {INVENTORY}", S=kind, seconds=900)
            assert restarted.returncode == 0, restarted.stdout[-3000:]
        done.append(True)
        count = running.result()

    reader = registry.client("reader")
    for name, number in made.items():
        assert reader.get_latest_version(name).schema_id == number
    assert made
    print(f"{len(made)} of {count} registered, {len(failures)} failed: {failures[:5]}")


def test_a_backup_is_restored_with_its_ids(registry: Registry, tmp_path: Path):
    client, file = registry.client(), tmp_path / "schemas.zip"
    names = [subject() for _ in range(100)]
    for name in names:
        client.register_schema(name, Schema(record("d"), "AVRO"))
        client.register_schema(name, Schema(record("d", name.replace("-", "_")), "AVRO"))
    registry.client("admin").set_compatibility(names[0], "FULL")
    before = {name: client.get_latest_version(name) for name in client.get_subjects()}

    done = registry.make("schemas-backup", args=f"-i {INVENTORY}", FILE=str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    again = registry.make("schemas-backup", args=f"-i {INVENTORY}", FILE=str(file))
    assert "exists" in again.stdout + again.stderr
    full = registry.make("schemas-restore", args=f"-i {INVENTORY}", FILE=str(file))
    assert full.returncode != 0
    assert "allowed: an empty registry" in full.stdout + full.stderr

    other = "-e schema_registry_topics=second-registry"
    up(registry.make, other)
    arguments = f"-i {INVENTORY} {other}"
    dry = registry.make("schemas-restore", args=arguments, FILE=str(file), DRY="1")
    assert dry.returncode == 0, dry.stdout + dry.stderr
    assert registry.client("reader").get_subjects() == []
    restored = registry.make("schemas-restore", args=arguments, FILE=str(file))
    assert restored.returncode == 0, restored.stdout + restored.stderr

    reader = registry.client("reader")
    # The other instance reads the journal, too.
    wait_for("all subjects are there", lambda: _has(reader, set(before)), seconds=60)
    for name, version in before.items():
        found = reader.get_latest_version(name)
        assert (found.schema_id, found.version) == (version.schema_id, version.version)
        assert found.schema.schema_str == version.schema.schema_str
    assert reader.get_compatibility(names[0]) == "FULL"
    up(registry.make)
    assert set(registry.client("reader").get_subjects()) >= set(names)


def _has(client: SchemaRegistryClient, names: set[str]) -> None:
    missing = names - set(client.get_subjects())
    if missing:
        raise NotYet(f"{len(missing)} missing")
