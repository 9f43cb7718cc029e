"""A Spark worker is killed during a stream."""

from testing.cluster import Cluster


def test_the_stream_goes_on_and_every_payment_is_reconciled(cluster: Cluster):
    worker = cluster.container(next(iter(cluster.topology.spark_workers.values())))
    ledger = cluster.stream_during_kill(worker)
    assert ledger["acknowledged"] == 30_000
