"""In every security mode declared users can connect with their rights, and other clients cannot."""

import subprocess
import time

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient
from conftest import SECONDS, Site, one_of


def sent(settings, topic: str) -> KafkaError | None:
    """Produce one record; return its error, or None."""
    outcome: list[KafkaError | None] = []
    producer = Producer({**settings, "message.timeout.ms": SECONDS * 1000})
    producer.produce(topic, b"one", on_delivery=lambda error, _: outcome.append(error))
    producer.flush(SECONDS + 5)
    return outcome[0]


def health(container: str) -> str:
    """Return the health status of a container."""
    return subprocess.run(
        ["docker", "inspect", "--format", "{{.State.Health.Status}}", container],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


def test_a_second_run_changes_nothing(site: Site):
    recap = site.play("site").rpartition("PLAY RECAP")[2]

    assert "changed=0 " in recap
    assert not [
        line for line in recap.splitlines() if "changed=" in line and "changed=0 " not in line
    ]


def test_every_container_is_healthy(site: Site):
    ended = time.monotonic() + 90
    names = ("kafka1", "kafka2", "zk1")
    while (found := {name: health(f"{site.name}-{name}") for name in names}) != dict.fromkeys(
        names, "healthy"
    ):
        assert time.monotonic() < ended, found
        time.sleep(1)


def test_declared_users_can_produce_and_consume(site: Site):
    assert sent(site.settings("writer"), "orders") is None

    assert one_of(site.settings("reader"), "orders") == b"one"


def test_a_user_has_only_its_declared_rights(site: Site):
    if site.mode == "plain":
        pytest.skip("mode plain has no authentication")
    error = sent(site.settings("reader"), "orders")

    assert error is not None
    assert "AUTHORIZATION" in error.name()


def test_a_client_without_credentials_is_refused(site: Site):
    if site.mode == "plain":
        pytest.skip("mode plain has no authentication")
    plain = AdminClient({"bootstrap.servers": site.bootstrap, "log_level": 0})

    with pytest.raises(KafkaException):
        plain.list_topics(timeout=5)
