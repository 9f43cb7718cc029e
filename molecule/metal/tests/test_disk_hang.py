"""A disk of a leader hangs under load, without errors: the watchdog fences the broker."""

import time
from collections.abc import Iterator

import pytest
from testing import disk_faults, playbooks
from testing.cluster import Cluster
from testing.disk_faults import Disk
from testing.rolls import preferred_lead
from testing.traffic import TOPIC, Traffic

TIMEOUT = 30
HANG_SECONDS = 75
# Timeout of the watchdog, and its probe interval, the stop of the broker, and new leaders.
FENCE_SECONDS = TIMEOUT + 15


def disk_of_leader(cluster: Cluster) -> tuple[int, Disk, set[int]]:
    """Return the leader of partition 0, the disk of its replica, and partitions it leads there."""
    broker = cluster.brokers.leader_of(f"{TOPIC}-0")
    machine = cluster.machine(cluster.topology.brokers[broker])
    for path, held in disk_faults.log_dirs(cluster, broker).items():
        if f"{TOPIC}-0" in held:
            led = {
                int(part.name.rpartition("-")[2])
                for part in cluster.brokers.partitions()
                if part.leader == broker and part.name in held and part.name.startswith(TOPIC)
            }
            return broker, Disk(machine, disk_faults.mount_of(path)), led
    raise AssertionError(f"broker {broker} leads {TOPIC}-0, but no log dir has it")


def test_a_hung_disk_fences_its_broker_and_writes_go_on(cluster: Cluster):
    broker, disk, led = disk_of_leader(cluster)
    container = cluster.broker(broker)
    before = container.started()
    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        with disk.hung(HANG_SECONDS) as thaw:
            time.sleep(HANG_SECONDS - 15)
            assert time.monotonic() < thaw
            gaps = traffic.gaps()
            elsewhere = {
                part.leader for part in cluster.brokers.partitions() if part.name.startswith(TOPIC)
            }
        container.wait_until_back(before, seconds=60)
        cluster.wait_until_whole()
    result = traffic.verify()

    print(f"longest gap: {max(gaps.values()):.1f} s, of led partitions {gaps[0]:.1f} s")
    assert broker not in elsewhere, "the fenced broker still led partitions"
    # The watchdog waits on purpose, and fences the broker long before the disk responds again.
    assert max(gaps[number] for number in led) >= TIMEOUT / 2
    assert max(gaps.values()) <= FENCE_SECONDS
    assert (result.lost, result.errors) == ([], {})


@pytest.fixture
def unwatched(cluster: Cluster) -> Iterator[tuple[Disk, set[int]]]:
    """Turn off the watchdog of the leader."""
    preferred_lead(cluster)
    broker, _, _ = disk_of_leader(cluster)
    node = cluster.topology.brokers[broker].machine
    playbooks.run("kafka", "--limit", node, extra={"kafka_broker_disk_timeout": 0})
    try:
        cluster.wait_until_whole()
        preferred_lead(cluster)
        leads, disk, led = disk_of_leader(cluster)
        # Other brokers still have their watchdog.
        assert leads == broker
        yield disk, led
    finally:
        playbooks.run("kafka", "--limit", node)
        cluster.wait_until_whole()


def test_without_a_watchdog_partitions_stall_as_long_as_the_disk_hangs(
    cluster: Cluster, unwatched: tuple[Disk, set[int]]
):
    """Negative control: nothing else in the cluster detects a hung disk."""
    disk, led = unwatched
    seconds = FENCE_SECONDS + 10
    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        with disk.hung(seconds):
            time.sleep(seconds - 2)
            gaps = traffic.gaps()
        time.sleep(5)
    result = traffic.verify()
    assert max(gaps[number] for number in led) > FENCE_SECONDS
    assert result.lost == []
