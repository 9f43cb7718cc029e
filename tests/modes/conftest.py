"""A small cluster in each security mode, created by the playbooks."""

import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer

ROOT = Path(__file__).resolve().parents[2]
INVENTORY = Path(__file__).parent / "inventory"
PORT_OFFSET = 23000
SECONDS = 15
MODES = ("tls_scram", "mtls", "scram", "plain")
USERS = {
    "writer": {"roles": [{"producer": "orders"}]},
    "reader": {"roles": [{"consumer": {"topic": "orders", "group": "test-*"}}]},
}


@dataclass(frozen=True)
class Site:
    """One cluster; ``mode`` is its security_mode. Its name ends with the mode, or with ``suffix``.

    ``brokers`` is the number of brokers in the inventory.
    """

    mode: str
    suffix: str = ""
    inventory: Path = INVENTORY
    brokers: int = 2

    @property
    def name(self) -> str:
        """Return the name of the cluster."""
        return f"mode-{self.suffix or self.mode.replace('_', '-')}"

    @property
    def state(self) -> Path:
        """Return its state directory on the control node."""
        return self.inventory / ".kafka-metal" / self.name

    @property
    def bootstrap(self) -> str:
        """Return the client listeners of all brokers."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    @property
    def ports(self) -> list[int]:
        """Return the ports of the client listeners."""
        return [9091 + PORT_OFFSET + broker for broker in range(1, self.brokers + 1)]

    @property
    def zookeeper(self) -> str:
        """Return the endpoint of its first ZooKeeper server."""
        return f"127.0.0.1:{2181 + PORT_OFFSET}"

    def play(self, playbook: str, **extra: Any) -> str:
        """Run a playbook on the site; return its output. AssertionError if it fails."""
        code, output = self.tried(playbook, **extra)
        assert code == 0, f"{playbook} in mode {self.mode}:\n{output[-6000:]}"
        return output

    def tried(self, playbook: str, **extra: Any) -> tuple[int, str]:
        """Run a playbook on the site; return its exit code and output."""
        variables = {
            "cluster_name": self.name,
            "port_offset": PORT_OFFSET,
            "security_mode": self.mode,
            "kafka_content_topics": {"orders": {"partitions": 2, "replication": self.brokers}},
            "kafka_content_users": USERS if self.mode != "plain" else {},
            "pipeline_pipelines": {},
            **extra,
        }
        done = subprocess.run(
            [
                *("ansible-playbook", f"--inventory={self.inventory}"),
                *(f"playbooks/{playbook}.yml", "-e", json.dumps(variables)),
            ],
            cwd=ROOT,
            env={
                **os.environ,
                "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
                # Tests read the recap.
                "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1200,
            check=False,
        )
        return done.returncode, done.stdout

    def settings(self, user: str) -> Mapping[str, Any]:
        """Return the settings of librdkafka of a declared user."""
        common = {"bootstrap.servers": self.bootstrap, "log_level": 0}
        if self.mode == "plain":
            return common
        self.play("access", access_user=user)
        file = self.state / "users" / user / "client.conf"
        lines = file.read_text(encoding="utf-8").splitlines()
        return {**common, **dict(line.split("=", 1) for line in lines if "=" in line)}


def one_of(settings: Mapping[str, Any], topic: str) -> bytes | None:
    """Return the first record that a consumer of a new group reads."""
    reader = Consumer(
        {**settings, "group.id": f"test-{uuid.uuid4().hex[:8]}", "auto.offset.reset": "earliest"}
    )
    try:
        reader.subscribe([topic])
        record = reader.poll(2 * SECONDS)
        assert record is not None
        assert record.error() is None
        return record.value()
    finally:
        reader.close()


def clean(site: Site) -> None:
    """Delete a cluster with its keys and passwords."""
    code, output = site.tried("destroy", confirm_destroy=site.name)
    # A cluster that was not created is not found.
    assert code == 0 or "found no cluster" in output, output[-6000:]
    shutil.rmtree(site.state, ignore_errors=True)


@pytest.fixture(scope="module", params=MODES)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A cluster of this mode, deleted at the end."""
    made = Site(request.param)
    try:
        made.play("site")
        yield made
    finally:
        clean(made)
