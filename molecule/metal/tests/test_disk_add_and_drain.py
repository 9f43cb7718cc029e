"""A spare disk is added to a broker under load, gets its share, is drained and removed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from testing import disk_faults, playbooks
from testing.cluster import Cluster
from testing.disk_faults import SPARE, Disk
from testing.traffic import Traffic

BROKER = 2
NAME = "spare1"
MOUNT = f"/data/{NAME}"
LOG_DIR = f"{MOUNT}/kafka"
# Partitions of __consumer_offsets, each with a replica on every broker.
GROUP_PARTITIONS = 50


@pytest.fixture
def verb(cluster: Cluster, tmp_path: Path) -> Iterator[Any]:
    """Run a playbook on the spare of a broker, with an inventory that declares it."""
    instance = cluster.topology.brokers[BROKER]
    declared = {
        "host_disks": [
            {"name": "disk1", "path": "/dev/sdb", "mount": "/data/disk1"},
            {"name": "disk2", "path": "/dev/sdc", "mount": "/data/disk2"},
            {"name": NAME, "path": SPARE, "mount": MOUNT},
        ],
        "kafka_broker_log_dirs": [*instance.log_dirs, LOG_DIR],
    }
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(json.dumps({"all": {"hosts": {instance.machine: declared}}}))
    named = {"disk_host": instance.machine, "disk_name": NAME}

    def run(name: str, check: bool = True):
        return playbooks.run(name, f"--inventory={inventory}", extra=named, check=check)

    yield run
    machine = cluster.machine(instance)
    if LOG_DIR in disk_faults.log_dirs(cluster, BROKER) or Disk(machine, MOUNT).device:
        run("disk_drain")
        run("disk_remove")
    disk_faults.blank(machine)


def held(cluster: Cluster) -> dict[str, int]:
    """Return the number of replicas by log dir."""
    return {path: len(names) for path, names in disk_faults.log_dirs(cluster, BROKER).items()}


def test_a_disk_is_added_drained_and_removed_under_load(cluster: Cluster, verb: Any):
    machine = cluster.machine(cluster.topology.brokers[BROKER])
    before = disk_faults.log_dirs(cluster, BROKER)
    with Traffic(cluster.topology.bootstrap, rate=200) as traffic:
        verb("disk_add")
        shared = held(cluster)
        # Kafka creates __consumer_offsets when a client first uses a group.
        added = sum(shared.values()) - sum(map(len, before.values()))
        assert added in (0, GROUP_PARTITIONS)
        # disk_add stops at nine tenths of the share (a third) by number and bytes.
        assert 0.8 <= shared[LOG_DIR] / (sum(shared.values()) / 3) <= 1, shared
        assert playbooks.changes(verb("disk_add")) == 0, "a second run changed something"

        refused = verb("disk_remove", check=False)
        assert refused.returncode != 0
        assert f"{LOG_DIR} still contains" in refused.stdout
        on_it = disk_faults.log_dirs(cluster, BROKER)[LOG_DIR]
        assert any(replica in refused.stdout for replica in on_it)
        assert held(cluster)[LOG_DIR] == shared[LOG_DIR]

        verb("disk_drain")
        assert held(cluster)[LOG_DIR] == 0
        assert playbooks.changes(verb("disk_drain")) == 0

        verb("disk_remove")
        cluster.wait_until_whole()
    result = traffic.verify()

    # The inventory of the scenario does not declare the disk.
    host = playbooks.run("host", "--limit", cluster.topology.brokers[BROKER].machine)
    assert playbooks.changes(host) == 0, host.stdout
    assert set(held(cluster)) == set(before)
    assert sum(held(cluster).values()) == sum(shared.values())
    assert Disk(machine, MOUNT).device == ""
    assert not machine.file(MOUNT).exists
    assert MOUNT not in machine.file("/etc/fstab").content_string
    # Removal does not erase the disk.
    assert "xfs" in machine.check_output("wipefs --noheadings %s", SPARE)
    assert (result.lost, result.errors) == ([], {})
    print(f"longest gap: {result.longest_gap:.2f} s")


def test_an_unknown_disk_is_refused(cluster: Cluster):
    node = cluster.topology.brokers[BROKER].machine
    for extra, message in (
        ({}, "Name the broker's host and its disk"),
        ({"disk_host": node, "disk_name": "disk9"}, "has no disk disk9 in host_disks"),
    ):
        refused = playbooks.run("disk_drain", extra=extra, check=False)
        assert refused.returncode != 0
        assert message in refused.stdout
