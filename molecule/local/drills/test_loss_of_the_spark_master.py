"""The leading Spark master is killed during a stream."""

import time

from testing.cluster import HEAL_SECONDS, Cluster
from testing.spark_masters import check_other_leads, leader
from testing.waiting import wait_for

# The master's ZooKeeper session expires after 10 s (Spark's default: a minute); in the rest the
# standby recovers workers and applications, on a busy machine.
TAKEOVER_SECONDS = 20


def test_the_standby_leads_and_the_stream_goes_on(cluster: Cluster):
    first = wait_for("a master leads", lambda: leader(cluster), seconds=30)
    victim = cluster.container(cluster.topology.spark_masters[first])
    driver = cluster.driver().started()
    with cluster.stream(count=30_000, rate=1000) as stream:
        before = victim.kill()
        died = time.monotonic()
        wait_for(
            "the standby leads", lambda: check_other_leads(cluster, first), seconds=60, every=0.1
        )
        took = time.monotonic() - died
        assert stream.runs, "the stream was over before the standby led"
        ledger = stream.finish(seconds=120)
        victim.wait_until_back(before, HEAL_SECONDS)
        stream.reconcile()

    assert ledger["acknowledged"] == 30_000
    assert took <= TAKEOVER_SECONDS, f"{took:.1f} s"
    # A running pipeline needs no master: its driver has not restarted.
    assert cluster.driver().started() == driver
    cluster.wait_until_whole()
