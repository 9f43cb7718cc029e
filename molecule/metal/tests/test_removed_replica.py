"""The directory of a replica is removed under its broker: an alert fires, a restart copies it."""

from testing import disk_faults, faults, playbooks
from testing.cluster import Cluster
from testing.prometheus import Prometheus
from testing.waiting import NotYet, wait_for

BROKER, FOLLOWER = 1, 2
ALERT = "ReplicasRemoved"
TOPIC = "drill-removed"
REPLICA = f"{TOPIC}-0"


def directory(cluster: Cluster) -> str:
    """Return the directory of the replica; NotYet while the broker has none."""
    for path, held in disk_faults.log_dirs(cluster, BROKER).items():
        if REPLICA in held:
            return f"{path}/{REPLICA}"
    raise NotYet(f"broker {BROKER} has no replica of {REPLICA}")


def test_a_removed_replica_is_reported_and_a_restart_copies_it(
    cluster: Cluster, prometheus: Prometheus
):
    instance = cluster.topology.brokers[BROKER]
    machine = cluster.machine(instance)
    prometheus.wait_for_targets(seconds=120)
    with faults.topic(cluster, TOPIC, [BROKER, FOLLOWER]):
        path = wait_for("the broker has the replica", lambda: directory(cluster), 30)
        machine.check_output("rm -r %s", path)
        prometheus.wait_for(ALERT, 90)
        assert ALERT not in prometheus.firing("page")

        playbooks.run("restart", "--limit", instance.machine, extra={"restart_services": "kafka"})
        cluster.wait_until_whole()
        machine.check_output("ls %s", wait_for("it is back", lambda: directory(cluster), 30))
        prometheus.wait_until_over(ALERT, seconds=60)
