"""TLS is enabled on a running cluster without lost records or errors of clients."""

import itertools
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient
from conftest import SECONDS, Site, clean

THREE = Path(__file__).parent / "three"
# Default of security_migration_port_offset.
MIGRATION_OFFSET = 1000
RATE = 100
Settings = Mapping[str, Any]


class Writer:
    """A client that writes continuously and can switch to other settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = dict(settings)
        self._changed = threading.Event()
        self._ended = threading.Event()
        self.errors: list[KafkaError] = []
        self.acknowledged: set[int] = set()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._changed.set()
        self._thread.join()

    def switch(self, settings: Settings) -> None:
        """Flush, and reconnect with other settings."""
        self._settings = dict(settings)
        before = len(self.acknowledged)
        self._changed.set()
        self.wait_for(before + RATE)

    def wait_for(self, count: int) -> None:
        """Wait until ``count`` records are acknowledged."""
        ended = time.monotonic() + 60
        while len(self.acknowledged) < count:
            assert time.monotonic() < ended, (count, self.errors)
            time.sleep(0.1)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error:
            self.errors.append(error)
        else:
            self.acknowledged.add(int(message.value()))

    def _run(self) -> None:
        numbers = itertools.count()
        while not self._ended.is_set():
            self._changed.clear()
            producer = Producer({**self._settings, "enable.idempotence": True})
            while not self._changed.wait(1 / RATE):
                producer.produce("orders", str(next(numbers)), on_delivery=self._delivered)
                producer.poll(0)
            assert producer.flush(60) == 0


def at_secured_listeners(site: Site, settings: Settings) -> Settings:
    """Return the settings with the endpoints of the additional secured listeners."""
    endpoints = ",".join(f"127.0.0.1:{port + MIGRATION_OFFSET}" for port in site.ports)
    return {**settings, "bootstrap.servers": endpoints}


def all_records(settings: Settings, topic: str) -> list[int]:
    """Return every record of a topic."""
    reader = Consumer({**settings, "group.id": "test-all", "auto.offset.reset": "earliest",
                       "enable.partition.eof": True})  # fmt: skip
    found, ends = [], set()
    try:
        reader.subscribe([topic])
        while len(ends) < 2:
            record = reader.poll(2 * SECONDS)
            assert record is not None
            if record.error() is None:
                found.append(int(record.value()))
            else:
                assert record.error().code() == KafkaError._PARTITION_EOF, record.error()
                ends.add(record.partition())
        return found
    finally:
        reader.close()


def can_connect(settings: Settings) -> bool:
    """Whether a client with these settings can list topics."""
    try:
        return bool(AdminClient({**settings, "log_level": 0}).list_topics(timeout=5).topics)
    except KafkaException:
        return False


@pytest.fixture
def unsecured() -> Iterator[Site]:
    """A cluster of three brokers without security."""
    made = Site("plain", suffix="phases", inventory=THREE, brokers=3)
    try:
        made.play("site")
        yield made
    finally:
        clean(made)


def test_tls_is_enabled_under_load(unsecured: Site):
    secured = Site("tls_scram", suffix="phases", inventory=THREE, brokers=3)
    no_credentials = unsecured.settings("anybody")

    with Writer(no_credentials) as writer:
        writer.wait_for(RATE)
        secured.play("secure", security_migration="both")
        credentials = secured.settings("writer")
        assert can_connect(no_credentials)
        assert can_connect(at_secured_listeners(secured, credentials))
        assert not can_connect(at_secured_listeners(secured, no_credentials))
        assert (
            "changed=0 " in secured.play("site", security_migration="both").rpartition("RECAP")[2]
        )

        code, output = secured.tried("secure", security_migration="enforced")
        assert code != 0
        refusal = "has clients on listeners that will deny unauthenticated clients or be removed"
        assert refusal in " ".join(output.split())
        assert any(f"port {port}: 127.0.0.1" in output for port in unsecured.ports)

        writer.switch(at_secured_listeners(secured, credentials))
        secured.play("secure", security_migration="enforced")
        assert not can_connect(no_credentials)
        assert can_connect(credentials)

        writer.switch(credentials)
        secured.play("secure")
        assert not can_connect(at_secured_listeners(secured, credentials))
        writer.wait_for(len(writer.acknowledged) + RATE)

    assert writer.errors == []
    found = all_records(secured.settings("reader"), "orders")
    assert sorted(found) == sorted(writer.acknowledged)
    assert "changed=0 " in secured.play("site").rpartition("RECAP")[2]
