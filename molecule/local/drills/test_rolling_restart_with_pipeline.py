"""All brokers restart one after the other while a pipeline reads and writes."""

from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import restarted, starts


def test_every_payment_is_archived_once_and_the_driver_goes_on(cluster: Cluster):
    count, driver = 100_000, cluster.driver()
    started, before = driver.started(), starts(cluster)
    with cluster.stream(count, rate=200) as stream:
        playbooks.run("restart", extra={"restart_services": "kafka"})
        assert stream.runs, "the stream was over before the last broker was back"
        assert set(restarted(before, starts(cluster))) == set(cluster.topology.brokers)
        ledger = stream.finish(seconds=600)
        # Fails unless the archive has each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == count
    assert driver.started() == started
