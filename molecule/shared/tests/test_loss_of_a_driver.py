"""The driver of the pipeline dies without a word in the middle of a stream."""

from testing.cluster import HEAL_SECONDS, Cluster


def test_every_payment_is_archived_once_and_no_result_is_missing(cluster: Cluster):
    victim = cluster.driver()
    with cluster.stream(count=30_000, rate=1000) as stream:
        before = victim.kill()
        assert stream.runs, "the stream was over before the driver died"
        ledger = stream.finish(seconds=120)
        victim.wait_until_back(before, HEAL_SECONDS)
        # Ends with an error unless the archive holds each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == 30_000
