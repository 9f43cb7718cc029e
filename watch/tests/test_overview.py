"""The overview of brokers and topics matches the metadata of the cluster."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException
from kafka_metal_watch import cluster
from kafka_metal_watch.overview import Broker, Topic, overview


def partition(leader, replicas, isrs):
    return SimpleNamespace(leader=leader, replicas=replicas, isrs=isrs)


METADATA = SimpleNamespace(
    controller_id=2,
    brokers={
        1: SimpleNamespace(host="kafka1", port=9092),
        2: SimpleNamespace(host="kafka2", port=9092),
    },
    topics={
        "orders": SimpleNamespace(
            partitions={0: partition(1, [1, 2, 3], [1, 2]), 1: partition(-1, [3, 1, 2], [3])}
        ),
        "empty": SimpleNamespace(partitions={}),
    },
)


def test_unregistered_brokers_are_found_by_their_replicas():
    found = overview(METADATA, {1: "a", 2: "b"}).brokers
    assert found == (
        Broker(1, "kafka1:9092", "a", registered=True, controller=False, leaders=1, replicas=2),
        Broker(2, "kafka2:9092", "b", registered=True, controller=True, leaders=0, replicas=2),
        Broker(3, "", "", registered=False, controller=False, leaders=0, replicas=2),
    )


def test_partition_problems_are_counted_by_topic():
    assert overview(METADATA, {}).topics == (
        Topic("empty", partitions=0, replication_factor=0, under_replicated=0, leaderless=0),
        Topic(
            "orders",
            partitions=2,
            replication_factor=3,
            under_replicated=2,
            leaderless=1,
            least_replicas=3,
        ),
    )


def test_partitions_with_problems_have_names():
    found = overview(METADATA, {})
    assert found.under_replicated == ("orders-0", "orders-1")
    assert found.leaderless == ("orders-1",)


def test_a_replica_that_a_reassignment_adds_is_no_problem():
    moving = {0: partition(1, [3, 1, 2], [1, 2]), 1: partition(2, [1, 2], [1, 2])}
    topics = {"moving": SimpleNamespace(partitions=moving)}
    found = overview(SimpleNamespace(**{**vars(METADATA), "topics": topics}), {})
    assert found.under_replicated == ()


class Admin:
    """Responds to requests for metadata; those for the controller get ``outcomes``, in order."""

    def __init__(self, *outcomes):
        self.outcomes = [*outcomes]

    def list_topics(self, timeout):
        return METADATA

    def describe_cluster(self, request_timeout):
        future = Future()
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(SimpleNamespace(nodes=outcome))
        return future


def failed(code):
    return KafkaException(KafkaError(code))


def read_with(monkeypatch, *outcomes):
    admin = Admin(*outcomes)
    monkeypatch.setattr(cluster, "AdminClient", lambda _: admin)
    return cluster.Kafka({})


def test_a_frozen_controller_does_not_hide_what_other_brokers_know(monkeypatch):
    nodes = [SimpleNamespace(id=1, rack="a"), SimpleNamespace(id=2, rack=None)]
    kafka = read_with(monkeypatch, nodes, failed(KafkaError._TIMED_OUT))
    first = kafka.overview()
    assert kafka.overview() == first
    assert first.brokers[0].rack == "a"


def test_a_denied_request_is_an_error(monkeypatch):
    kafka = read_with(monkeypatch, failed(KafkaError.CLUSTER_AUTHORIZATION_FAILED))
    with pytest.raises(KafkaException):
        kafka.overview()
