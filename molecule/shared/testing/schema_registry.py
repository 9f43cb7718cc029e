"""A Schema Registry of two instances next to the platform: its users, clients, and load."""

import json
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import requests
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from kafka.admin import NewTopic
from kafka.errors import UnknownTopicOrPartitionError

from testing import access, playbooks
from testing.cluster import Cluster
from testing.containers import Container
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

USERS = {"admin": "registry-admin", "developer": "payments-app", "reader": "payments-reader"}
INSTANCES = ("schema-registry1", "schema-registry2")
API = "/apis/ccompat/v7"
# Prefix of the topics of a second, empty registry.
SECOND = "second-registry"
# First parts of topics of the registry, and of drills.
TOPICS = ("schema-registry-", f"{SECOND}-", "schema-drill-")
# After a kill: the engine's pause, and the start.
READY_S = 180
# The first run builds the image.
UP_S = 1800


@dataclass
class Registry:
    """The registry and the files that `make access` wrote; ``inventory`` declares instances."""

    cluster: Cluster
    make: Callable[..., Any]
    inventory: Path
    # Settings of Confluent's client by role.
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def run(self, verb: str, more: str = "", seconds: float = 900, **variables: str) -> Any:
        """Run a verb of make with the instances in its inventory; return the finished process."""
        return self.make(verb, args=f"-i {self.inventory} {more}", seconds=seconds, **variables)

    def succeed(self, verb: str, more: str = "", seconds: float = 900, **variables: str) -> str:
        """Run a verb of make; return its output, AssertionError if it fails."""
        done = self.run(verb, more, seconds, **variables)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        return str(done.stdout)

    def up(self, more: str = "") -> None:
        """Bring the platform with its registry to the declared state."""
        self.succeed("up", more, seconds=UP_S)

    @contextmanager
    def emptied(self) -> Iterator[str]:
        """Run the instances on other topics, with no schemas; at the end on their own again.

        Yields the arguments for further runs.
        """
        arguments = f"-e schema_registry_topics={SECOND}"
        try:
            self.up(arguments)
            yield arguments
        finally:
            self.up()

    def read_access(self) -> None:
        """Write the client files of all users, and read those of the registry."""
        for role, user in USERS.items():
            self.succeed("access", U=user)
            self.settings[role] = json.loads(self.file(user).read_text())

    def file(self, user: str) -> Path:
        """Return the path of a user's settings for Confluent's client."""
        return self._files() / user / "schema-registry.json"

    def _files(self) -> Path:
        """Return the directory of the registry's client files."""
        return playbooks.state(self.cluster.topology.cluster) / "schema_registry"

    def client(self, role: str = "developer", **settings: Any) -> SchemaRegistryClient:
        """Return a new client, without schemas in its cache, with the written settings."""
        return SchemaRegistryClient({**self.settings[role], **settings})

    def urls(self) -> list[str]:
        """Return the address of the API at each instance."""
        return str(self.settings["reader"]["url"]).split(",")

    def instance(self, name: str) -> Instance:
        """Return an instance, whose machine is this one."""
        return Instance(f"{self.cluster.topology.cluster}-{name}", "localhost")

    def container(self, name: str) -> Container:
        """Return the container of an instance."""
        return self.cluster.container(self.instance(name))

    def login(self, role: str) -> tuple[str, str]:
        """Return name and password."""
        name, _, password = self.settings[role]["basic.auth.user.info"].partition(":")
        return name, password

    def call(
        self, login: tuple[str, str] | None, method: str, path: str, body: Any = None
    ) -> requests.Response:
        """Send a request to the first instance; ``path`` is one of the server."""
        url = self.urls()[0].removesuffix(API) + path
        ca = self.settings["reader"]["ssl.ca.location"]
        return requests.request(method, url, auth=login, verify=ca, json=body, timeout=60)

    def count(self) -> int:
        """Return the number of subjects; the list of Confluent's API ends at 1,000."""
        path = "/apis/registry/v3/search/artifacts?limit=1"
        return int(self.call(self.login("reader"), "GET", path).json()["count"])

    def kill(self, *names: str) -> None:
        """Kill instances, and wait until the engine has started them again."""
        before = {name: self.container(name).kill() for name in names}
        for name, started in before.items():
            self.container(name).wait_until_back(started, 60)

    def wait_until_ready(self, *names: str) -> None:
        """Wait until instances, by default all, have read all schemas."""
        for name in names or INSTANCES:
            wait_for(f"{name} is ready", self.container(name).check_health, READY_S)

    def create_topics(self, *names: str) -> None:
        """Create topics of one partition; ``remove`` deletes those with a name of TOPICS."""
        with access.admin(self.cluster.topology.bootstrap) as admin:
            topics = [NewTopic(name, num_partitions=1, replication_factor=3) for name in names]
            admin.create_topics(topics)

    def remove(self) -> None:
        """Delete the instances with all files and topics, also those of a restore."""
        machine = self.cluster.shell("localhost")
        for name in INSTANCES:
            container = self.instance(name).container
            machine.run("docker rm --force --volumes %s", container)
            for folder in ("/etc/kafka-metal", "/etc/kafka-metal/.as-left"):
                machine.run("rm --recursive --force %s/%s", folder, container)
            work = f"/var/lib/kafka-metal/{self.cluster.topology.cluster}/{name}"
            machine.run("rm --recursive --force %s", work)
        shutil.rmtree(self._files(), ignore_errors=True)
        with access.admin(self.cluster.topology.bootstrap) as admin:
            for topic in admin.list_topics():
                if topic.startswith(TOPICS):
                    with suppress(UnknownTopicOrPartitionError):
                        admin.delete_topics([topic])


def record(name: str, *fields: str) -> str:
    """Return an Avro schema whose fields are optional numbers, except the first."""
    listed: list[dict[str, Any]] = [{"name": "id", "type": "long"}]
    listed += [{"name": each, "type": ["null", "long"], "default": None} for each in fields]
    return json.dumps({"type": "record", "name": name, "fields": listed})


def subject() -> str:
    """Return a name that no other test uses."""
    return f"s-{uuid.uuid4().hex[:12]}"


class Load:
    """Registers a schema and reads an older one twice a second, each with a new client."""

    def __init__(self, registry: Registry) -> None:
        self._registry, self._prefix = registry, subject()
        # Id by subject, of each registration that was answered.
        self.made: dict[str, int] = {}
        self.failures: list[str] = []
        self.longest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Load":
        self._thread.start()
        wait_for("the first schemas are registered", lambda: self._has(3), 30)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join(60)

    def _has(self, count: int) -> None:
        if len(self.made) < count:
            raise NotYet(f"{len(self.made)} schemas, failed: {self.failures[-1:]}")

    def wait_for_more(self, count: int, seconds: float = 120) -> None:
        """Wait until so many more schemas are registered."""
        wanted = len(self.made) + count
        wait_for(f"{count} more schemas are registered", lambda: self._has(wanted), seconds)

    def _run(self) -> None:
        number = 0
        while not self._ended.wait(0.5):
            began, name = time.monotonic(), f"{self._prefix}-{number}"
            try:
                schema = Schema(record(f"r{number}"), "AVRO")
                self.made[name] = self._registry.client().register_schema(name, schema)
                first = next(iter(self.made.values()))
                self._registry.client("reader").get_schema(first)
            except Exception as error:
                # The client also raises errors of its HTTP library.
                self.failures.append(f"{name}: {error}")
            self.longest = max(self.longest, time.monotonic() - began)
            number += 1

    def verify(self) -> None:
        """Assert that every answered registration is in the registry, with its id."""
        reader = self._registry.client("reader")
        assert self.made
        for name, number in self.made.items():
            assert reader.get_latest_version(name).schema_id == number
        print(
            f"{len(self.made)} registered, {len(self.failures)} failed, the longest took "
            f"{self.longest:.1f} s: {self.failures[:5]}"
        )
