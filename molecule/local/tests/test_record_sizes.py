"""A record of any size is acknowledged or refused with a reason, without crash or loss."""

import os
from collections.abc import Iterator

import pytest
from kafka_metal_client import brokers
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.sizes import batch_bytes
from kafka_metal_client.topic_settings import read_limit
from testing import access
from testing.cluster import Cluster
from testing.faults import topic

NAME = "sizes-of-records"
REPLICAS = [1, 2, 3]
SIZES = (0, 1, 900, 1_000, 999_990, 1_048_588, 2_000_000, 4_999_000, 19_999_000)


@pytest.fixture(params=[900, 1_048_588, 5_000_000, 20_000_000])
def limited(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[int]:
    """A topic with a limit of bytes for batches."""
    with topic(cluster, NAME, REPLICAS, **{"max.message.bytes": str(request.param)}):
        yield request.param


def test_a_record_is_acknowledged_exactly_if_it_fits_the_topic(cluster: Cluster, limited: int):
    bootstrap, extra = cluster.topology.bootstrap, access.librdkafka()
    limit = read_limit(bootstrap, extra, NAME)
    assert (limit.size, limit.from_topic) == (limited, True)
    delivery = Delivery(lambda: brokers.producer(bootstrap, extra, 120, limit), NAME, limit)
    outcomes: list[tuple[int, str | None]] = []

    def send(**record):
        size = batch_bytes(**record)
        delivery.send(record, lambda reason, _: outcomes.append((size, reason)), lambda: None)

    for size in SIZES:
        send(key=None, value=os.urandom(size))
        send(key=os.urandom(min(size, 9_000)), value=b"x" * size, headers=[("name", b"h" * 99)])
    exact = limited - batch_bytes(None, b"")
    while batch_bytes(None, b"x" * exact) > limited:
        exact -= 1
    send(key=None, value=os.urandom(exact))
    for _ in range(3_000):
        send(key=None, value=os.urandom(100))
    while delivery.in_flight:
        delivery.poll(0.1)

    assert len(outcomes) == 2 * len(SIZES) + 1 + 3_000
    assert {size <= limited for size, reason in outcomes if reason is None} == {True}
    assert {size <= limited for size, reason in outcomes if reason is not None} <= {False}
