"""The driver of the pipeline is killed during a stream."""

from testing.cluster import Cluster


def test_every_payment_is_archived_once_and_no_result_is_missing(cluster: Cluster):
    ledger = cluster.stream_during_kill(cluster.driver())
    assert ledger["acknowledged"] == 30_000
