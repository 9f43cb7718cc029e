"""An open cluster is closed while it serves: no record is lost, no client sees an error."""

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
# What security_migration_port_offset is by default.
STEP = 1000
RATE = 100
Settings = Mapping[str, Any]


class Shop:
    """A client that writes all the time and comes in by another way when it is told to."""

    def __init__(self, settings: Settings) -> None:
        self._settings = dict(settings)
        self._told = threading.Event()
        self._ended = threading.Event()
        self.errors: list[KafkaError] = []
        self.acknowledged: set[int] = set()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Shop":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._told.set()
        self._thread.join()

    def move(self, settings: Settings) -> None:
        """Flush, and come in by another way."""
        self._settings = dict(settings)
        before = len(self.acknowledged)
        self._told.set()
        self.wait_for(before + RATE)

    def wait_for(self, count: int) -> None:
        """Wait until so many records are acknowledged."""
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
            self._told.clear()
            producer = Producer({**self._settings, "enable.idempotence": True})
            while not self._told.wait(1 / RATE):
                producer.produce("orders", str(next(numbers)), on_delivery=self._delivered)
                producer.poll(0)
            assert producer.flush(60) == 0


def at_secured_listeners(site: Site, settings: Settings) -> Settings:
    """The same client on the secured listeners."""
    endpoints = ",".join(f"127.0.0.1:{port + STEP}" for port in site.ports)
    return {**settings, "bootstrap.servers": endpoints}


def all_of(settings: Settings, topic: str) -> list[int]:
    """Every record of a topic."""
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


def let_in(settings: Settings) -> bool:
    """Whether somebody with these settings is told of topics."""
    try:
        return bool(AdminClient({**settings, "log_level": 0}).list_topics(timeout=5).topics)
    except KafkaException:
        return False


@pytest.fixture
def opened() -> Iterator[Site]:
    """An open cluster of three."""
    made = Site("plain", called="phases", inventory=THREE, brokers=3)
    try:
        made.play("site")
        yield made
    finally:
        clean(made)


def test_an_open_cluster_is_closed_under_load(opened: Site):
    closed = Site("tls_scram", called="phases", inventory=THREE, brokers=3)
    anybody = opened.settings("anybody")

    with Shop(anybody) as shop:
        shop.wait_for(RATE)
        closed.play("secure", security_migration="both")
        writer = closed.settings("writer")
        assert let_in(anybody)
        assert let_in(at_secured_listeners(closed, writer))
        assert not let_in(at_secured_listeners(closed, anybody))
        assert "changed=0 " in closed.play("site", security_migration="both").rpartition("RECAP")[2]

        code, said = closed.tried("secure", security_migration="enforced")
        assert code != 0
        assert "still used" in said
        assert any(f"port {port}: 127.0.0.1" in said for port in opened.ports)

        shop.move(at_secured_listeners(closed, writer))
        closed.play("secure", security_migration="enforced")
        assert not let_in(anybody)
        assert let_in(writer)

        shop.move(writer)
        closed.play("secure")
        assert not let_in(at_secured_listeners(closed, writer))
        shop.wait_for(len(shop.acknowledged) + RATE)

    assert shop.errors == []
    found = all_of(closed.settings("reader"), "orders")
    assert sorted(found) == sorted(shop.acknowledged)
    assert "changed=0 " in closed.play("site").rpartition("RECAP")[2]
