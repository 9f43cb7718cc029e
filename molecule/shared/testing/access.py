"""How the tests come into a cluster that asks who they are: as its operator, like a person would.

``folder`` holds what the platform has written for the operator on the control node; it is set once
in a session, and stays None for a cluster that asks nobody.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_collections.metal.kafka.plugins.plugin_utils._security.client_security import (
    KAFKA_PYTHON,
)
from kafka import KafkaAdminClient

from testing import playbooks

folder: Path | None = None


def use(cluster: str) -> None:
    """Come in as the operator of this cluster from now on."""
    global folder
    found = playbooks.state(cluster) / "operator"
    folder = found if (found / "client.conf").exists() else None


def written() -> dict[str, str]:
    """Everything that the operator shows and trusts, by file: a rotation changes it."""
    files = sorted(folder.iterdir()) if folder else []
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def client_conf() -> list[str]:
    """Arguments of kcat that name the operator's file."""
    return ["-F", str(folder / "client.conf")] if folder else []


def librdkafka() -> dict[str, Any]:
    """Settings for confluent-kafka."""
    if folder is None:
        return {}
    return read(folder / "client.conf")


def kafka_python() -> dict[str, Any]:
    """The same for kafka-python."""
    given = librdkafka()
    return {name: given[key] for key, name in KAFKA_PYTHON.items() if key in given}


@contextmanager
def admin(bootstrap: str) -> Iterator[KafkaAdminClient]:
    """The operator's client of kafka-python, for as long as the block lasts."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap.split(","), **kafka_python())
    try:
        yield client
    finally:
        client.close()


def of(user: str) -> dict[str, Any]:
    """Settings for confluent-kafka of a declared user, handed out as `make access` does."""
    playbooks.run("access", extra={"access_user": user})
    assert folder is not None
    return read(folder.parent / "users" / user / "client.conf")


def read(file: Path) -> dict[str, Any]:
    """A file of librdkafka's."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
