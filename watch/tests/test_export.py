"""Parts of the exporter's state: none delays another, and what cannot be read is named."""

import logging
import threading
import time

import pytest
from confluent_kafka import KafkaError, KafkaException
from kafka_metal_watch.cli import parse_config
from kafka_metal_watch.exporter import (
    BROKERS,
    CONTENT,
    GROUPS,
    PROMETHEUS,
    REMOTE,
    Exporter,
    log_changes,
)
from kafka_metal_watch.items import Items
from kafka_metal_watch.overview import Broker, Overview
from kafka_metal_watch.reader import Part

CONFIG = parse_config("exporter", {"listen": "127.0.0.1:0", "kafka": {}, "interval": 0.1})
SEEN = Overview((Broker(1, registered=True), Broker(2)))


class Cluster:
    """Brokers without groups. ``waiting``: requests for groups wait until it is set."""

    def __init__(self):
        self.waiting = threading.Event()
        self.waiting.set()
        self.reads = 0
        self.fails = False

    def overview(self):
        self.reads += 1
        self._fail()
        return SEEN

    def limits(self, brokers):
        return Items({broker: {"CLIENTS": 900} for broker in brokers})

    def groups(self):
        self.waiting.wait(30)
        self._fail()
        return [], []

    def committed(self, _):
        return Items()

    def assignments(self, _):
        return Items()

    def ends(self, _):
        return {}

    def _fail(self):
        if self.fails:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))


def read(exporter):
    """Read every part once, in the order in which problems would hide each other."""
    parts = {GROUPS: exporter.groups, CONTENT: exporter.content, BROKERS: exporter.brokers}
    for name, part in parts.items():
        exporter.publish(name, part())
    return exporter.state()


def until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_brokers_are_read_while_requests_for_groups_wait():
    cluster, ended = Cluster(), threading.Event()
    cluster.waiting.clear()
    exporter = Exporter(CONFIG, cluster)
    running = threading.Thread(target=exporter.run, args=(ended,))
    running.start()
    try:
        until(lambda: cluster.reads > 3 and exporter.state().overview == SEEN)
        assert exporter.state().lags_read == 0
        cluster.waiting.set()
        until(lambda: exporter.state().lags_read > 0)
    finally:
        cluster.waiting.set()
        ended.set()
        running.join()


def test_a_fault_in_a_part_ends_the_exporter(monkeypatch):
    exporter = Exporter(CONFIG, Cluster())
    monkeypatch.setattr(exporter, "remote", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        exporter.run(threading.Event())


def test_a_cluster_that_does_not_respond_is_one_problem_and_keeps_its_values():
    cluster = Cluster()
    exporter = Exporter(CONFIG, cluster)
    before = read(exporter)
    exporter.publish(REMOTE, Part(unread={("alerts", "prometheus"): "no response"}))
    cluster.fails = True

    found = read(exporter)

    assert (found.read, found.overview) == (before.read, SEEN)
    assert found.unread == {
        ("cluster", "all"): "Local: Broker transport failure",
        ("alerts", "prometheus"): "no response",
    }
    cluster.fails = False
    assert list(read(exporter).unread) == [("alerts", "prometheus")]


def test_parts_are_pending_until_their_first_read_has_ended():
    exporter = Exporter(CONFIG, Cluster())
    assert exporter.state().pending == (BROKERS, PROMETHEUS, GROUPS, CONTENT, REMOTE)
    assert read(exporter).pending == (PROMETHEUS, REMOTE)


def test_lags_stay_if_groups_cannot_be_listed():
    cluster = Cluster()
    exporter = Exporter(CONFIG, cluster)
    before = read(exporter)
    cluster.fails = True
    exporter.publish(GROUPS, exporter.groups())

    found = exporter.state()

    assert found.lags_read == before.lags_read > 0
    assert found.unread == {("groups", "all"): "Local: Broker transport failure"}


def test_only_changes_are_logged(caplog):
    caplog.set_level(logging.INFO)
    first = {("group", "a"): "moved", ("group", "b"): "moved"}
    log_changes({}, first)
    log_changes(first, first)
    log_changes(first, {("group", "b"): "denied"})

    assert [each.getMessage() for each in caplog.records] == [
        "cannot read group a: moved",
        "cannot read group b: moved",
        "cannot read group b: denied",
        "can read group a again",
    ]
