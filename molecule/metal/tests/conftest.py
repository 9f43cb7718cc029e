"""Fixtures of the drills."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kafka.admin import NewTopic
from kafka.errors import TopicAlreadyExistsError
from testing import access, disk_faults, playbooks, sandbox
from testing.cluster import Cluster
from testing.disk_faults import SPARE, Disk, Victim
from testing.prometheus import Prometheus
from testing.traffic import TOPIC

# An inventory with monitoring, and the machine of Prometheus, which has no fault.
MONITORING = Path(__file__).resolve().parents[1] / "monitoring"
MONITORING_HOST = "node3"


@pytest.fixture(scope="session", autouse=True)
def _low_priority() -> None:
    """Lower the priority of the tests, which share the processors of the nodes."""
    os.nice(10)


@pytest.fixture(scope="session", autouse=True)
def _drill_topic(platform: Cluster) -> None:
    """Create the topic; `metal` declares it, other scenarios that run drills do not.

    Twelve partitions put leaders on every broker and on both of its disks.
    """
    platform.wait_until_whole()
    topic = NewTopic(TOPIC, num_partitions=12, replication_factor=3)
    with access.admin(platform.topology.bootstrap) as admin, suppress(TopicAlreadyExistsError):
        admin.create_topics([topic])


@pytest.fixture
def victim(cluster: Cluster) -> Iterator[Victim]:
    broker = cluster.brokers.leader_of(f"{TOPIC}-0")
    instance = cluster.topology.brokers[broker]
    machine = cluster.machine(instance)
    log_dir, held = next(
        (path, names)
        for path, names in disk_faults.log_dirs(cluster, broker).items()
        if f"{TOPIC}-0" in names
    )
    disk = Disk(machine, disk_faults.mount_of(log_dir))
    numbers = {int(name.rpartition("-")[2]) for name in held if name.startswith(f"{TOPIC}-")}
    name = disk.mount.rpartition("/")[2]
    declared = {"disk1": "/dev/sdb", "disk2": "/dev/sdc"}[name]
    found = Victim(broker, instance.machine, name, disk, log_dir, numbers, machine, declared)
    yield found
    # Other drills need the machine as the inventory declares it, and a blank spare.
    try:
        if disk.device != declared or cluster.brokers.log_dirs().get(broker, {}).get(log_dir) != 0:
            found.replace(disk_force=name)
    finally:
        if disk.device != SPARE:
            disk_faults.blank(machine)


@pytest.fixture(scope="module")
def prometheus(platform: Cluster, inventory: str) -> Iterator[Prometheus]:
    """Prometheus, monitoring the cluster during the tests of a file."""
    playbooks.inventory = f"{inventory},{MONITORING}"
    try:
        playbooks.run("site")
        prometheus = Prometheus(platform, MONITORING_HOST, "127.0.0.1:9090")
        prometheus.wait_for_targets(seconds=60)
        yield prometheus
    finally:
        for one in sandbox.of(platform):
            if one.service not in ("kafka_broker", "zookeeper"):
                one.machine.check_output("docker rm --force %s", one.name)
        playbooks.inventory = inventory
        playbooks.run("site")
