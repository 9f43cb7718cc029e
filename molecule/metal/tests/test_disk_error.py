"""A broker dies while one of its disks answers with errors: it returns, and then the disk does."""

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
    if wait_for("the broker tells its log dirs", lambda: errors(cluster), 60).get(DEAD) != 0:
        mount_again(cluster, found)


def mount_again(cluster: Cluster, disk: Disk) -> None:
    """docs/operate/guides/disks.md, "When the disk is back": while the broker runs."""
    instance = cluster.topology.brokers[BROKER]
    machine = cluster.machine(instance)
    if disk.device:
        machine.check_output("umount %s", disk.mount)
    machine.check_output("mount %s", disk.mount)
    playbooks.run("restart", "--limit", instance.machine, extra={"restart_services": "kafka"})
    cluster.wait_until_whole()


def errors(cluster: Cluster) -> dict[str, int]:
    """Error code of each log dir of the broker; NotYet while it is not registered."""
    if BROKER not in cluster.brokers.registered():
        raise NotYet(f"broker {BROKER} is not registered")
    try:
        found = cluster.brokers.log_dirs().get(BROKER, {})
    except KafkaConnectionError as error:
        # It stays registered until the session that it had has ended.
        raise NotYet(str(error)) from error
    if KEPT not in found:
        raise NotYet(f"broker {BROKER} tells no log dirs")
    return found


def test_a_dead_disk_does_not_keep_its_broker_down_and_comes_back_as_the_docs_say(
    cluster: Cluster, disk: Disk
):
    container = cluster.broker(BROKER)
    with Traffic(cluster.topology.bootstrap, rate=200) as traffic:
        disk.fail()
        wait_for("the log dir is offline", lambda: disk_faults.offline(cluster, BROKER), 30)
        # Nobody but the engine starts it again, and the engine looks at what it mounts.
        before = container.kill()
        container.wait_until_back(before, seconds=60)
        found = wait_for("the other log dir serves", lambda: errors(cluster), HEAL_SECONDS)
        assert found[KEPT] == 0
        assert found.get(DEAD, -1) != 0

        mount_again(cluster, disk)
    result = traffic.verify()

    assert errors(cluster) == {DEAD: 0, KEPT: 0}
    assert result.lost == []
    # What Kafka may answer to a write that is under way while a log dir dies: docs/start/client.md.
    assert {error for _, error in result.errors} <= {"UnknownServerException"}
