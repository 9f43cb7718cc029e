"""The Docker daemon of a machine restarts, as in an upgrade of the distribution."""

from testing.cluster import HEAL_SECONDS, Cluster
from testing.waiting import wait_for

MACHINE = "node2"


def test_containers_run_again_after_a_restart_of_the_daemon(cluster: Cluster):
    there = [one for one in cluster.topology.instances if one.machine == MACHINE]
    services = {one.container.removeprefix(f"{cluster.topology.cluster}-") for one in there}
    assert services == {"zk2", "kafka2"}

    cluster.machine(there[0]).check_output("systemctl restart docker")

    for instance in there:
        container = cluster.container(instance)
        wait_for(f"{container.name} runs", container.started, HEAL_SECONDS)
    cluster.wait_until_whole()
