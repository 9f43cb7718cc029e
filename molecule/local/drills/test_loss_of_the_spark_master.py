"""The master that leads dies without a word in the middle of a stream."""

import time

from testing.cluster import HEAL_SECONDS, Cluster
from testing.spark_masters import check_other_leads, leader
from testing.waiting import wait_for

# A session in the ensemble lasts 10 s, by default a minute; the rest is for the standby to ask who
# is there, on a machine that has other work.
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
    # The pipeline needs no master while it runs: it was not started anew.
    assert cluster.driver().started() == driver
    cluster.wait_until_whole()
