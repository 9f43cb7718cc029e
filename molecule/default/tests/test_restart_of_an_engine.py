"""The Docker daemon of a machine is restarted, as an upgrade of the distribution does."""

from testing.cluster import HEAL_SECONDS, Cluster

MACHINE = "node2"


def test_containers_come_back_after_the_daemon_of_their_node_restarts(cluster: Cluster):
    there = [one for one in cluster.topology.instances if one.machine == MACHINE]
    services = {one.container.removeprefix("molecule-") for one in there}
    assert services == {"zk2", "kafka2", "spark-worker-node2"}
    containers = [cluster.container(instance) for instance in there]
    before = {container: container.started() for container in containers}

    cluster.machine(there[0]).check_output("systemctl restart docker")

    for container in containers:
        container.wait_until_back(before[container], HEAL_SECONDS)
    cluster.wait_until_whole()
