"""The Docker daemon of a machine is restarted, as an upgrade of the distribution does."""

from testing.cluster import HEAL_SECONDS, Cluster


def test_containers_come_back_after_the_daemon_of_their_node_restarts(cluster: Cluster):
    machine = "node2"
    there = [one for one in cluster.topology.instances if one.machine == machine]
    containers = [cluster.container(instance) for instance in there]
    assert len(containers) >= 3
    before = {container: container.started() for container in containers}

    cluster.machine(there[0]).check_output("systemctl restart docker")

    for container in containers:
        container.wait_until_back(before[container], HEAL_SECONDS)
    cluster.wait_until_whole()
