"""A broker that the cluster cannot spare is not stopped, whoever asks for it."""

from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import starts, wait_for_missing_replicas

SHORT_WAIT = {"kafka_broker_gate_stall_timeout": 5, "restart_services": "kafka"}


def test_a_restart_refuses_by_the_names_of_the_partitions_and_stops_nobody(cluster: Cluster):
    # The last of the roll's order, so that others come to the gate before it.
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
    # Nobody has to break a lock after a refusal.
    locks = machine.run("ls /var/lib/kafka-metal/locks").stdout
    assert locks == ""
