"""Faults of machines, networks and services; each ends with its context."""

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
    """Kill containers and keep their engine from restarting them."""
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
            # Before the engine has noticed, a container can neither be changed nor started.
            wait_for(f"{instance.container} is dead", cluster.container(instance).check_ended, 30)
        yield


@contextmanager
def stopped(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """Stop a container in order, and start it at the end."""
    machine = cluster.machine(instance)
    machine.check_output("docker stop --time 60 %s", instance.container)
    try:
        yield
    finally:
        machine.check_output("docker start %s", instance.container)


@contextmanager
def frozen(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """Pause a container; its connections stay open."""
    machine = cluster.machine(instance)
    machine.check_output("docker pause %s", instance.container)
    try:
        yield
    finally:
        machine.check_output("docker unpause %s", instance.container)


@contextmanager
def filtered(cluster: Cluster, instance: Instance, *rules: str) -> Iterator[None]:
    """Insert rules before all others of the machine's firewall."""
    machine = cluster.machine(instance)
    with ExitStack() as healing:
        for rule in rules:
            machine.check_output(f"iptables -I {rule}")
            healing.callback(machine.check_output, f"iptables -D {rule}")
        yield


def cut_off(cluster: Cluster, instance: Instance):
    """Drop all network traffic of an instance's machine."""
    return filtered(cluster, instance, "INPUT ! -i lo -j DROP", "OUTPUT ! -o lo -j DROP")


def cut_between(cluster: Cluster, first: Instance, second: Instance):
    """Drop all network traffic between the machines of two instances."""
    other = second.address
    return filtered(cluster, first, f"INPUT -s {other} -j DROP", f"OUTPUT -d {other} -j DROP")


def port_closed(cluster: Cluster, instance: Instance):
    """Reject connections to the client port of a running broker."""
    rule = f"INPUT -p tcp --dport {instance.port} -j REJECT --reject-with tcp-reset"
    return filtered(cluster, instance, rule)


@contextmanager
def engine_hung(cluster: Cluster, instance: Instance) -> Iterator[None]:
    """Stop the container engine's process (SIGSTOP); its containers go on."""
    machine = cluster.machine(instance)
    process = machine.check_output("systemctl show --property MainPID --value docker.service")
    machine.check_output("kill -STOP %s", process)
    try:
        yield
    finally:
        machine.check_output("kill -CONT %s", process)


@contextmanager
def switched_off(node: str) -> Iterator[None]:
    """Kill a node's container, like a machine that loses power."""
    LOCAL.check_output("docker kill %s", node)
    try:
        yield
    finally:
        LOCAL.check_output("docker start %s", node)


@contextmanager
def remounted(
    cluster: Cluster, instance: Instance, log_dir: str, how: str, *, while_stopped: bool = False
) -> Iterator[None]:
    """Let the disk of a log dir fail by a command; remount it and restart the broker at the end.

    ``while_stopped``: the disk fails while the broker is stopped; the broker starts with it.
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
    """Create a topic of one partition on certain brokers, and delete it at the end."""
    with access.admin(cluster.topology.bootstrap) as admin:
        desired = NewTopic(
            name, replica_assignments={0: replicas}, topic_configs=config,
            num_partitions=-1, replication_factor=-1,
        )  # fmt: skip
        admin.create_topics([desired])
        yield
        cluster.wait_until_whole()
        admin.delete_topics([name])
