"""A Spark worker that is killed together with the leading master registers with the standby."""

from testing.cluster import HEAL_SECONDS, Cluster
from testing.spark_masters import check_other_leads, check_workers_registered, leader
from testing.waiting import wait_for


def test_a_worker_killed_with_the_leader_registers_with_the_standby(cluster: Cluster):
    """The standby first restores the former worker; the restarted one has to register, too."""
    cluster.wait_until_whole()
    first = wait_for("a master leads", lambda: leader(cluster), seconds=30)
    worker = cluster.container(next(iter(cluster.topology.spark_workers.values())))
    master = cluster.container(cluster.topology.spark_masters[first])
    befores = [worker.kill(), master.kill()]

    wait_for("the standby leads", lambda: check_other_leads(cluster, first), seconds=60)
    wait_for("all workers are registered", lambda: check_workers_registered(cluster), seconds=240)

    for victim, before in zip((worker, master), befores, strict=True):
        victim.wait_until_back(before, HEAL_SECONDS)
    cluster.wait_until_whole()
