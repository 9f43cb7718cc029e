"""A worker of Spark that dies together with the leading master returns to the standby."""

from testing.cluster import HEAL_SECONDS, Cluster
from testing.spark_masters import leader, other_leads, workers_known
from testing.waiting import wait_for


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
