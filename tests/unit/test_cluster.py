"""Conversion of Kafka's metadata, and leader elections in batches."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka import leader_batches
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import (
    NO_BROKER,
    Partition,
)
from kafka.errors import (
    NotLeaderForPartitionError,
)
from kafka_responses import connection, described, in_sequence


def test_partitions_are_sorted_by_number():
    moving = {("a", 1): {"adding_replicas": [2]}}
    assert leader_batches.parse_partitions(described("a", 1, NO_BROKER), moving) == [
        Partition("a", 0, 1, (2, 1), (1,)),
        Partition("a", 1, NO_BROKER, (2, 1), (1,), (2,)),
    ]


def test_topic_with_an_error_is_omitted():
    made = connection(describe_topics=in_sequence([described("b", 1), described("a", 1, error=3)]))
    assert [topic["name"] for topic in made.describe_topics()] == ["b"]


def elections(parts, offsets=dict):
    """Requests of an election, with their numbers of partitions."""
    requests = []

    def elect(_, partitions, **_keys):
        requests.append(("elect", sum(map(len, partitions.values()))))

    def read(partitions, **_keys):
        requests.append(("read", len(partitions)))
        return offsets()

    connection(elect_leaders=elect, list_partition_offsets=read).elect(parts)
    return requests


def orders(count):
    return [Partition("orders", number, 2, (1, 2), (1, 2)) for number in range(count)]


def test_batch_is_served_before_the_next_election():
    """Otherwise all batches would wait for the first election of a newly started broker."""
    assert elections(orders(7)) == [
        *(("elect", 1), ("read", 1), ("elect", 4), ("read", 4), ("elect", 2), ("read", 2)),
    ]


def test_missing_leader_is_waited_for_once():
    def no_leader():
        raise NotLeaderForPartitionError("orders-0")

    assert elections(orders(7), no_leader) == [("elect", 1), ("read", 1), ("elect", 6)]


@pytest.mark.parametrize(
    ("size", "took", "expected"),
    [(1, 0.01, 4), (4, 0.25, 8), (16, 0.5, 16), (16, 2.0, 4), (1, 9.0, 1), (8, 0.0, 32)],
)
def test_batch_size_follows_the_time_of_the_last_batch(size, took, expected):
    assert leader_batches.next_batch(size, took) == expected


def test_internal_topics_are_elected_first():
    """So the slow first elections of a started broker delay no producers."""
    names = [("orders", number) for number in range(30)] + [("__consumer_offsets", 7)]
    parts = [Partition(topic, number, 2, (1, 2), (1, 2)) for topic, number in names]

    ordered = [(part.topic, part.id) for part in leader_batches.election_order(parts)]

    assert ordered == [("__consumer_offsets", 7), *names[:30]]
