"""A broker dies while one of its disks returns errors: it restarts without it, then with it."""

import pytest
from kafka.errors import KafkaConnectionError
from testing import disk_faults, playbooks
from testing.cluster import HEAL_SECONDS, Cluster
from testing.disk_faults import Disk
from testing.traffic import Traffic
from testing.waiting import NotYet, wait_for

BROKER = 2
DEAD, KEPT = "/data/disk1/kafka", "/data/disk2/kafka"


@pytest.fixture
def disk(cluster: Cluster):
    machine = cluster.machine(cluster.topology.brokers[BROKER])
    found = Disk(machine, disk_faults.mount_of(DEAD))
    yield found
    if wait_for("the broker reports its log dirs", lambda: errors(cluster), 60).get(DEAD) != 0:
        mount_again(cluster, found)


def mount_again(cluster: Cluster, disk: Disk) -> None:
    """Follow docs/operate/guides/disks.md, "When the disk is back"."""
    instance = cluster.topology.brokers[BROKER]
    machine = cluster.machine(instance)
    if disk.device:
        machine.check_output("umount %s", disk.mount)
    machine.check_output("mount %s", disk.mount)
    playbooks.run("restart", "--limit", instance.machine, extra={"restart_services": "kafka"})
    cluster.wait_until_whole()


def errors(cluster: Cluster) -> dict[str, int]:
    """Return the error code of each log dir of the broker; NotYet while it is not registered."""
    if BROKER not in cluster.brokers.registered():
        raise NotYet(f"broker {BROKER} is not registered")
    try:
        found = cluster.brokers.log_dirs().get(BROKER, {})
    except KafkaConnectionError as error:
        # It stays registered until its earlier session expires.
        raise NotYet(str(error)) from error
    if KEPT not in found:
        raise NotYet(f"broker {BROKER} reports no log dirs")
    return found


def test_a_broker_restarts_without_a_failed_disk_and_gets_it_back_as_documented(
    cluster: Cluster, disk: Disk
):
    container = cluster.broker(BROKER)
    with Traffic(cluster.topology.bootstrap, rate=200) as traffic:
        disk.fail()
        wait_for("the log dir is offline", lambda: disk_faults.offline(cluster, BROKER), 30)
        # The engine restarts it, and checks its bind mounts.
        before = container.kill()
        container.wait_until_back(before, seconds=60)
        found = wait_for("the other log dir serves", lambda: errors(cluster), HEAL_SECONDS)
        assert found[KEPT] == 0
        assert found.get(DEAD, -1) != 0

        mount_again(cluster, disk)
    result = traffic.verify()

    assert errors(cluster) == {DEAD: 0, KEPT: 0}
    assert result.lost == []
    # Kafka may return this for writes in flight while a log dir fails: docs/start/client.md.
    assert {error for _, error in result.errors} <= {"UnknownServerException"}
