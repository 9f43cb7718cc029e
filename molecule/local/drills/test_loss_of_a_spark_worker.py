"""A worker of the Spark cluster dies without a word in the middle of a stream."""

from testing.cluster import HEAL_SECONDS, Cluster


def test_the_stream_goes_on_and_every_payment_is_accounted_for(cluster: Cluster):
    victim = cluster.container(next(iter(cluster.topology.spark_workers.values())))
    with cluster.stream(count=30_000, rate=1000) as stream:
        before = victim.kill()
        assert stream.runs, "the stream was over before the worker died"
        ledger = stream.finish(seconds=120)
        victim.wait_until_back(before, HEAL_SECONDS)
        stream.reconcile()

    assert ledger["acknowledged"] == 30_000
