"""Faults of machines, networks and services, each healed at the end of its context."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import testinfra
from kafka.admin import NewTopic

from testing import access
from testing.cluster import Cluster
from testing.topology import Instance
from testing.waiting import wait_for

LOCAL = testinfra.get_host("local://")


@contextmanager
def dead(cluster: Cluster, *instances: Instance) -> Iterator[None]:
    """Containers die without a word, and their engine leaves them dead."""
    with ExitStack() as healing:
        for instance in instances:
            machine = cluster.machine(instance)
            machine.check_output("docker update --restart no %s", instance.container)
            healing.callback(machine.check_output, "docker start %s", instance.container)
            healing.callback(
                machine.check_output,
                "docker update --restart unless-stopped %s",
                instance.container,
            )
            cluster.container(instance).kill()
        for instance in instances:
            # Until its engine knows, a container can neither be changed nor started.
            wait_for(f"{instance.container} is dead", cluster.container(instance).check_ended, 30)
        yield


@contextmanager
def stopped(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """A container that somebody stops in order, and starts again."""
    machine = cluster.machine(instance)
    machine.check_output("docker stop --time 60 %s", instance.container)
    try:
        yield
    finally:
        machine.check_output("docker start %s", instance.container)


@contextmanager
def frozen(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """A container that does nothing, and whose connections stay."""
    machine = cluster.machine(instance)
    machine.check_output("docker pause %s", instance.container)
    try:
        yield
    finally:
        machine.check_output("docker unpause %s", instance.container)


@contextmanager
def filtered(cluster: Cluster, instance: Instance, *rules: str) -> Iterator[None]:
    """Rules of the machine's firewall before all others."""
    machine = cluster.machine(instance)
    with ExitStack() as healing:
        for rule in rules:
            machine.check_output(f"iptables -I {rule}")
            healing.callback(machine.check_output, f"iptables -D {rule}")
        yield


def cut_off(cluster: Cluster, instance: Instance):
    """A machine whose network is gone."""
    return filtered(cluster, instance, "INPUT ! -i lo -j DROP", "OUTPUT ! -o lo -j DROP")


def port_closed(cluster: Cluster, instance: Instance):
    """A firewall between the clients and a broker that runs."""
    rule = f"INPUT -p tcp --dport {instance.port} -j REJECT --reject-with tcp-reset"
    return filtered(cluster, instance, rule)


@contextmanager
def engine_hung(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """The container engine of a machine does nothing; what it has started goes on."""
    machine = cluster.machine(instance)
    process = machine.check_output("systemctl show --property MainPID --value docker.service")
    machine.check_output("kill -STOP %s", process)
    try:
        yield
    finally:
        machine.check_output("kill -CONT %s", process)


@contextmanager
def switched_off(node: str) -> Iterator[None]:
    """A machine without power: the container that stands for it."""
    LOCAL.check_output("docker kill %s", node)
    try:
        yield
    finally:
        LOCAL.check_output("docker start %s", node)


@contextmanager
def remounted(
    cluster: Cluster, instance: Instance, log_dir: str, how: str, *, while_stopped: bool = False
) -> Iterator[None]:
    """The disk of a log dir fails by a command; it is mounted anew, and the broker restarts.

    ``at_rest``: while the broker is down, which then starts with it.
    """
    machine, mount = cluster.machine(instance), log_dir.rpartition("/")[0]
    if while_stopped:
        machine.check_output("docker stop --time 120 %s", instance.container)
    machine.check_output(f"{how} {mount}")
    try:
        if while_stopped:
            machine.check_output("docker start %s", instance.container)
        yield
    finally:
        machine.check_output("docker stop --time 120 %s", instance.container)
        machine.check_output("umount %s && mount %s", mount, mount)
        machine.check_output("docker start %s", instance.container)


@contextmanager
def topic(cluster: Cluster, name: str, replicas: list[int], **config: str) -> Iterator[None]:
    """A topic of one partition on certain brokers."""
    with access.admin(cluster.topology.bootstrap) as admin:
        desired = NewTopic(
            name, replica_assignments={0: replicas}, topic_configs=config,
            num_partitions=-1, replication_factor=-1,
        )  # fmt: skip
        admin.create_topics([desired])
        yield
        cluster.wait_until_whole()
        admin.delete_topics([name])
