"""The overview of brokers and topics matches the metadata of the cluster."""

from types import SimpleNamespace

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
