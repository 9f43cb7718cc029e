"""A broker whose stop would make partitions unavailable is not stopped."""

from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import starts, wait_for_missing_replicas

SHORT_WAIT = {"kafka_broker_gate_stall_timeout": 5, "restart_services": "kafka"}


def test_a_refused_restart_names_partitions_and_stops_no_broker(cluster: Cluster):
    # The last broker in the restart order, so that others reach the gate before it.
    down = max(cluster.topology.brokers)
    machine = cluster.machine(cluster.topology.brokers[down])
    machine.check_output("docker stop -t 120 %s", cluster.broker(down).name)
    try:
        wait_for_missing_replicas(cluster)
        before = starts(cluster)
        refused = playbooks.run("restart", extra=SHORT_WAIT, check=False)
        after = starts(cluster)
    finally:
        machine.check_output("docker start %s", cluster.broker(down).name)

    assert refused.returncode != 0
    assert "drill-0 would have 1 replicas in sync without broker" in refused.stdout
    assert "its min.insync.replicas is 2" in refused.stdout
    assert "was not stopped, nor any later host" in refused.stdout
    assert after == before
    # The lock was released after the refusal.
    locks = machine.run("ls /var/lib/kafka-metal/locks").stdout
    assert locks == ""
