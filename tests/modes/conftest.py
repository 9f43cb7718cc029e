"""A small cluster in each way of closing it, brought up by the playbooks as a site would."""

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
    """One cluster; ``mode`` says how it is closed. It is called after it unless ``called``.

    ``brokers`` are as many as the inventory has.
    """

    mode: str
    called: str = ""
    inventory: Path = INVENTORY
    brokers: int = 2

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return f"mode-{self.called or self.mode.replace('_', '-')}"

    @property
    def state(self) -> Path:
        """Its directory on the control node."""
        return self.inventory / ".kafka-metal" / self.name

    @property
    def bootstrap(self) -> str:
        """The listener of clients of all brokers."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    @property
    def ports(self) -> list[int]:
        """Ports of clients."""
        return [9091 + PORT_OFFSET + broker for broker in range(1, self.brokers + 1)]

    @property
    def ensemble(self) -> str:
        """Where its one server of the ensemble listens."""
        return f"127.0.0.1:{2181 + PORT_OFFSET}"

    def play(self, playbook: str, **extra: Any) -> str:
        """Run a playbook on the site; what it said. AssertionError when it fails."""
        code, said = self.tried(playbook, **extra)
        assert code == 0, f"{playbook} in mode {self.mode}:\n{said[-6000:]}"
        return said

    def tried(self, playbook: str, **extra: Any) -> tuple[int, str]:
        """Run a playbook on the site; its exit code and what it said."""
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
            env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1200,
            check=False,
        )
        return done.returncode, done.stdout

    def settings(self, user: str) -> Mapping[str, Any]:
        """Settings of librdkafka with which a declared user comes in."""
        common = {"bootstrap.servers": self.bootstrap, "log_level": 0}
        if self.mode == "plain":
            return common
        self.play("access", access_user=user)
        file = self.state / "users" / user / "client.conf"
        lines = file.read_text(encoding="utf-8").splitlines()
        return {**common, **dict(line.split("=", 1) for line in lines if "=" in line)}


def one_of(settings: Mapping[str, Any], topic: str) -> bytes | None:
    """The first record that a member of a new group reads."""
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
    """Take a cluster away, with its keys and passwords."""
    code, said = site.tried("destroy", confirm_destroy=site.name)
    # Of one that did not come so far nothing is there.
    assert code == 0 or "found no cluster" in said, said[-6000:]
    shutil.rmtree(site.state, ignore_errors=True)


@pytest.fixture(scope="module", params=MODES)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A cluster of this mode, gone at the end."""
    made = Site(request.param)
    try:
        made.play("site")
        yield made
    finally:
        clean(made)
