"""The master that leads dies without a word in the middle of a stream."""

import time

from testing import pages
from testing.cluster import HEAL_SECONDS, Cluster
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

# A session in the ensemble lasts 10 s, by default a minute; the rest is for the standby to ask who
# is there, on a machine that has other work.
TAKEOVER_SECONDS = 20


def status(master: Instance) -> str:
    """ALIVE, STANDBY or RECOVERING; empty while it does not answer."""
    try:
        return pages.told(master.endpoint, seconds=2)["status"]
    except OSError:
        return ""


def leader(cluster: Cluster) -> str:
    """Name of the master that leads; NotYet while there is none."""
    found = {name: status(master) for name, master in cluster.topology.spark_masters.items()}
    leading = [name for name, what in found.items() if what == "ALIVE"]
    if len(leading) != 1:
        raise NotYet(f"masters: {found}")
    return leading[0]


def workers_known(cluster: Cluster) -> None:
    """Raise NotYet until the one that leads has all workers."""
    master = cluster.topology.spark_masters[leader(cluster)]
    alive = pages.told(master.endpoint, seconds=2)["aliveworkers"]
    if alive != len(cluster.topology.spark_workers):
        raise NotYet(f"{alive} workers")


def other_leads(cluster: Cluster, than: str) -> None:
    """Raise NotYet until another one leads."""
    if leader(cluster) == than:
        raise NotYet(f"{than} still leads")


def test_the_standby_leads_and_the_stream_goes_on(cluster: Cluster):
    first = wait_for("a master leads", lambda: leader(cluster), seconds=30)
    victim = cluster.container(cluster.topology.spark_masters[first])
    driver = cluster.driver().started()
    with cluster.stream(count=30_000, rate=1000) as stream:
        before = victim.kill()
        died = time.monotonic()
        wait_for("the standby leads", lambda: other_leads(cluster, first), seconds=60, every=0.1)
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


def test_a_worker_that_dies_with_it_comes_back_to_the_standby(cluster: Cluster):
    """The standby greets the worker that was there before; the new one must not be left outside."""
    cluster.wait_until_whole()
    first = wait_for("a master leads", lambda: leader(cluster), seconds=30)
    worker = cluster.container(next(iter(cluster.topology.spark_workers.values())))
    master = cluster.container(cluster.topology.spark_masters[first])
    befores = [worker.kill(), master.kill()]

    wait_for("the standby leads", lambda: other_leads(cluster, first), seconds=60)
    wait_for("all workers are known", lambda: workers_known(cluster), seconds=240)

    for victim, before in zip((worker, master), befores, strict=True):
        victim.wait_until_back(before, HEAL_SECONDS)
    cluster.wait_until_whole()
