"""Client settings of the operator, with which the tests authenticate.

``folder`` is the directory that the platform wrote for the operator on the control node. ``use``
sets it once in a session; it is None for a cluster without security.
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
    """Authenticate as the operator of this cluster from now on."""
    global folder
    found = playbooks.state(cluster) / "operator"
    folder = found if (found / "client.conf").exists() else None


def written() -> dict[str, str]:
    """Return the content of the operator's files by name; a rotation changes it."""
    files = sorted(folder.iterdir()) if folder else []
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def client_conf() -> list[str]:
    """Return the arguments of kcat that name the operator's file; none without security."""
    return ["-F", str(folder / "client.conf")] if folder else []


def librdkafka() -> dict[str, Any]:
    """Return the operator's settings for confluent-kafka."""
    if folder is None:
        return {}
    return read(folder / "client.conf")


def kafka_python() -> dict[str, Any]:
    """Return the operator's settings for kafka-python."""
    settings = librdkafka()
    return {name: settings[key] for key, name in KAFKA_PYTHON.items() if key in settings}


@contextmanager
def admin(bootstrap: str) -> Iterator[KafkaAdminClient]:
    """Yield an admin client of kafka-python with the operator's rights."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap.split(","), **kafka_python())
    try:
        yield client
    finally:
        client.close()


def of(user: str) -> dict[str, Any]:
    """Return the settings for confluent-kafka of a declared user, as `make access` writes them."""
    playbooks.run("access", extra={"access_user": user})
    assert folder is not None
    return read(folder.parent / "users" / user / "client.conf")


def read(file: Path) -> dict[str, Any]:
    """Return the settings in a configuration file of librdkafka."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
