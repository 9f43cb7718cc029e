"""All brokers restart one after the other while a pipeline reads and writes."""

from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import restarted, starts


def test_every_payment_is_archived_once_and_the_driver_goes_on(cluster: Cluster):
    driver = cluster.driver()
    started, before = driver.started(), starts(cluster)
    # Longer than any restart.
    with cluster.stream(count=1_000_000, rate=200) as stream:
        playbooks.run("restart", extra={"restart_services": "kafka"})
        assert stream.runs, stream.output_tail()
        assert set(restarted(before, starts(cluster))) == set(cluster.topology.brokers)
        stream.stop()
        # Fails unless the archive has each accepted payment exactly once.
        stream.reconcile()

    assert driver.started() == started
