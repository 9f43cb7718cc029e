"""An output topic of a pipeline accepts no records for two minutes during a stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from testing.checkpoints import Checkpoints
from testing.cluster import HEAL_SECONDS, Cluster
from testing.faults import stopped
from testing.settings import Settings

AWAY_SECONDS = 120
SINK = "fraudulent_payments"


@contextmanager
def away(cluster: Cluster) -> Iterator[None]:
    """Make the topic unwritable: require all replicas, and stop one broker."""
    settings = Settings(cluster.topology.bootstrap)
    before = settings.of_topic(SINK, "min.insync.replicas")
    settings.change_topic(SINK, {"min.insync.replicas": str(len(cluster.topology.brokers))})
    try:
        with stopped(cluster, cluster.topology.brokers[max(cluster.topology.brokers)]):
            yield
        cluster.wait_until_whole(HEAL_SECONDS)
    finally:
        settings.change_topic(SINK, {"min.insync.replicas": before})


def test_every_payment_is_archived_once_and_no_fraud_is_missing(cluster: Cluster):
    count, rate, kept = 80_000, 200, Checkpoints(cluster)
    with cluster.stream(count, rate) as stream:
        with away(cluster):
            # The duration of the fault is part of the test.
            began, batch = cluster.brokers.end(SINK), kept.newest("archive", "commits")
            time.sleep(AWAY_SECONDS)
            assert cluster.brokers.end(SINK) == began, "the topic accepted records during the fault"
            # A batch takes seconds on two busy cores.
            assert kept.newest("archive", "commits") > batch + 5, "the archive stopped, too"
        assert stream.runs, "the stream was over before the topic was back"
        ledger = stream.finish(seconds=300)
        # Fails unless the archive has each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == count
