"""A topic that a pipeline writes takes no record for two minutes, in the middle of a stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from testing.cluster import Cluster
from testing.settings import Settings

AWAY_SECONDS = 120
SINK = "fraudulent_payments"


@contextmanager
def away(cluster: Cluster) -> Iterator[None]:
    """More replicas have to confirm a record than the topic has: every one is refused."""
    settings = Settings(cluster.topology.bootstrap)
    before = settings.of_topic(SINK, "min.insync.replicas")
    settings.change_topic(SINK, {"min.insync.replicas": "4"})
    try:
        yield
    finally:
        settings.change_topic(SINK, {"min.insync.replicas": before})


def test_every_payment_is_archived_once_and_no_fraud_is_missing(cluster: Cluster):
    count, rate = 140_000, 750
    with cluster.stream(count, rate) as stream:
        with away(cluster):
            # The fault itself: what is asked is what happens in so long a time.
            began = cluster.brokers.end(SINK)
            time.sleep(AWAY_SECONDS)
            assert cluster.brokers.end(SINK) - began < rate, "the topic took records all the time"
        assert stream.runs, "the stream was over before the topic was back"
        ledger = stream.finish(seconds=180)
        # Ends with an error unless the archive holds each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == count
