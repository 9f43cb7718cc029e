"""The exporter names what it cannot read in its metrics, and logs each change once."""

import logging

from confluent_kafka import KafkaError, KafkaException
from kafka_metal_watch.cli import log_changes, read_cluster
from kafka_metal_watch.metrics import ClusterState


class Reader:
    def read(self, now, before):
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))


def test_a_failed_read_keeps_the_values_and_is_unread():
    before = ClusterState(read=7.0, unread={("group", "a"): "old"})

    found = read_cluster(Reader(), before)

    assert found.read == 7.0
    assert found.unread == {("cluster", "all"): "Local: Broker transport failure"}


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
