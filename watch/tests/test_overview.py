"""What the page says of brokers and topics is what the cluster's metadata says."""

from types import SimpleNamespace as Told

from kafka_metal_watch.overview import Broker, Topic, overview


def partition(leader, replicas, isrs):
    return Told(leader=leader, replicas=replicas, isrs=isrs)


METADATA = Told(
    controller_id=2,
    brokers={1: Told(host="kafka1", port=9092), 2: Told(host="kafka2", port=9092)},
    topics={
        "orders": Told(partitions={0: partition(1, [1, 2, 3], [1, 2]), 1: partition(-1, [3], [3])}),
        "empty": Told(partitions={}),
    },
)


def test_a_broker_that_is_not_registered_is_known_from_its_replicas():
    found = overview(METADATA, {1: "a", 2: "b"}).brokers
    assert found == (
        Broker(1, "kafka1:9092", "a", registered=True, controls=False, leads=1, holds=1),
        Broker(2, "kafka2:9092", "b", registered=True, controls=True, leads=0, holds=1),
        Broker(3, "", "", registered=False, controls=False, leads=0, holds=2),
    )


def test_what_is_wrong_with_partitions_is_counted_by_topic():
    assert overview(METADATA, {}).topics == (
        Topic("empty", partitions=0, copies=0, behind=0, leaderless=0),
        Topic("orders", partitions=2, copies=3, behind=1, leaderless=1),
    )
