"""What Kafka tells becomes the state of a cluster; leaders go back batch by batch."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka import leader_batches
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import NO_BROKER, Partition
from kafka.errors import (
    NotLeaderForPartitionError,
)
from kafka_answers import connection, described, in_sequence


def test_metadata_becomes_partitions_in_order():
    moving = {("a", 1): {"adding_replicas": [2]}}
    assert leader_batches.partitions_of(described("a", 1, NO_BROKER), moving) == [
        Partition("a", 0, 1, (2, 1), (1,)),
        Partition("a", 1, NO_BROKER, (2, 1), (1,), (2,)),
    ]


def test_a_topic_that_is_being_deleted_is_left_out():
    made = connection(describe_topics=in_sequence([described("b", 1), described("a", 1, error=3)]))
    assert [topic["name"] for topic in made.describe_topics()] == ["b"]


def elections(parts, offsets=dict):
    """Sizes of the batches in which a connection has leaders elected, and what it asked between."""
    asked = []

    def elect(_, wanted, **_keys):
        asked.append(("elect", sum(map(len, wanted.values()))))

    def look(wanted, **_keys):
        asked.append(("look", len(wanted)))
        return offsets()

    connection(elect_leaders=elect, list_partition_offsets=look).elect(parts)
    return asked


def orders(count):
    return [Partition("orders", number, 2, (1, 2), (1, 2)) for number in range(count)]


def test_a_batch_is_served_before_the_next_one_is_elected():
    """A cold leader would otherwise keep all batches waiting for its first."""
    assert elections(orders(7)) == [
        *(("elect", 1), ("look", 1), ("elect", 4), ("look", 4), ("elect", 2), ("look", 2)),
    ]


def test_a_broker_that_does_not_come_to_lead_is_waited_for_once():
    def nobody_leads():
        raise NotLeaderForPartitionError("orders-0")

    assert elections(orders(7), nobody_leads) == [("elect", 1), ("look", 1), ("elect", 6)]


@pytest.mark.parametrize(
    ("size", "took", "wanted"),
    [(1, 0.01, 4), (4, 0.25, 8), (16, 0.5, 16), (16, 2.0, 4), (1, 9.0, 1), (8, 0.0, 32)],
)
def test_a_batch_is_as_large_as_the_one_before_allows(size, took, wanted):
    assert leader_batches.next_batch(size, took) == wanted


def test_elections_begin_with_kafkas_own_topics_and_lose_none():
    """What a cold broker does for the first time costs nobody who writes."""
    names = [("orders", number) for number in range(30)] + [("__consumer_offsets", 7)]
    parts = [Partition(topic, number, 2, (1, 2), (1, 2)) for topic, number in names]

    ordered = [(part.topic, part.id) for part in leader_batches.election_order(parts)]

    assert ordered == [("__consumer_offsets", 7), *names[:30]]
