"""A machine boots without one of its data disks: nothing is written to its mount point."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import testinfra
from kafka.errors import KafkaError
from testing import disks, playbooks
from testing.cluster import HEAL_SECONDS, Cluster
from testing.containers import Container
from testing.traffic import TOPIC, Traffic
from testing.waiting import NotYet, wait_for

BROKER, MACHINE = 2, "node2"
DEVICE, MOUNT = "/dev/sdc", "/data/disk2"
LOST, KEPT = "/data/disk2/kafka", "/data/disk1/kafka"
# The engine waits 30 s for the disk, and the broker for its own earlier registration to expire.
BOOT_SECONDS = 240


@pytest.fixture
def machine(connect: Callable[[str], testinfra.host.Host]) -> testinfra.host.Host:
    return connect(MACHINE)


def log_dirs(cluster: Cluster) -> dict[str, int]:
    """Return the error code of each log dir of the broker; NotYet while it does not respond."""
    if BROKER not in cluster.brokers.registered():
        raise NotYet(f"broker {BROKER} is not registered")
    try:
        found = cluster.brokers.log_dirs().get(BROKER, {})
    except KafkaError as error:
        # Still registered from before it stopped.
        raise NotYet(str(error)) from error
    if not found:
        raise NotYet(f"broker {BROKER} reports no log dirs")
    return found


def in_sync(cluster: Cluster) -> set[str]:
    """Return the partitions of the drill with a replica of the broker in sync."""
    return {
        part.name
        for part in cluster.brokers.partitions()
        if part.name.startswith(f"{TOPIC}-") and BROKER in part.in_sync
    }


def partitions_on(machine: testinfra.host.Host, log_dir: str) -> set[str]:
    """Return the partitions of the drill in a log dir."""
    return set(machine.check_output("ls %s | grep '^%s-' || true", log_dir, TOPIC).split())


def replicas(machine: testinfra.host.Host, log_dir: str) -> set[str]:
    """Return the directories of replicas in a log dir, of all topics."""
    return set(machine.check_output("find %s -mindepth 1 -type d", log_dir).split())


@contextmanager
def without_its_disk(
    cluster: Cluster, broker: Container, machine: testinfra.host.Host
) -> Iterator[None]:
    """Boot the machine without the disk; reboot with it at the end."""
    node = disks.Node(machine.ansible.get_variables()["ansible_host"])
    loop = disks.loop_of(machine, DEVICE)
    node.power_off()
    try:
        node.pull_out(loop)
        node.power_on()
        yield
    finally:
        node.put_back(loop)
        node.power_on()
        back(cluster, broker, machine)


def back(cluster: Cluster, broker: Container, machine: testinfra.host.Host) -> None:
    """Mount the returned disk and restart the broker."""
    playbooks.run("host", "--limit", MACHINE)
    machine.check_output("docker restart --time 60 %s", broker.name)
    cluster.wait_until_whole()


def test_a_broker_starts_without_a_disk_and_writes_nothing_to_its_mount_point(
    cluster: Cluster, machine: testinfra.host.Host
):
    broker = cluster.broker(BROKER)
    kept, lost = partitions_on(machine, KEPT), partitions_on(machine, LOST)
    assert kept
    assert lost

    traffic = Traffic(cluster.topology.bootstrap)
    with traffic, without_its_disk(cluster, broker, machine):

        def serves() -> dict[str, int]:
            found = log_dirs(cluster)
            if in_sync(cluster) != kept:
                raise NotYet(f"{BROKER} is in sync for {sorted(in_sync(cluster))}")
            return found

        found = wait_for("the other log dir serves", serves, BOOT_SECONDS)
        assert found[KEPT] == 0
        assert found.get(LOST, -1) != 0
        before = traffic.acknowledged()

        output = playbooks.run("host", "--limit", MACHINE)
        assert "disk2 (path /dev/sdc) is missing" in " ".join(output.stdout.split())
        assert playbooks.changes(output) == 0, output.stdout

        assert traffic.acknowledged() > before
        assert not machine.mount_point(MOUNT).exists
        assert disks.entries_below(machine, MOUNT) == []
        assert disks.is_guarded(machine, MOUNT)

    assert log_dirs(cluster) == {KEPT: 0, LOST: 0}
    assert partitions_on(machine, LOST) == lost
    result = traffic.verify()
    assert result.acknowledged > 0
    assert (result.lost, result.errors) == ([], {})


def test_without_the_guard_the_broker_fills_the_system_disk(
    cluster: Cluster, machine: testinfra.host.Host
):
    """Negative control: without the immutable mount point the broker writes there."""
    broker = cluster.broker(BROKER)
    machine.check_output("docker stop --time 60 %s", broker.name)
    machine.check_output("umount %s", MOUNT)
    kept = replicas(machine, KEPT)
    try:
        make = "install --directory --owner 10001 --group 10001 %s"
        assert machine.run(make, LOST).rc != 0, "the guard allows directories"
        machine.check_output("chattr -i %s", MOUNT)
        machine.check_output(make, LOST)
        machine.check_output("docker start %s", broker.name)

        def written() -> list[str]:
            if log_dirs(cluster).get(LOST) != 0:
                raise NotYet(str(log_dirs(cluster)))
            return disks.entries_below(machine, MOUNT)

        assert len(wait_for("the broker writes there", written, HEAL_SECONDS)) > 1
    finally:
        machine.check_output("docker stop --time 60 %s", broker.name)
        machine.check_output("rm --recursive --force %s", LOST)
        # The broker has also created replicas in its other log dir, which it believed were missing.
        for replica in replicas(machine, KEPT) - kept:
            machine.check_output("rm --recursive %s", replica)
        machine.check_output("chattr +i %s", MOUNT)
        back(cluster, broker, machine)
    assert disks.entries_below(machine, MOUNT) == []
