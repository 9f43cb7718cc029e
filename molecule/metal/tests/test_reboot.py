"""Machines restart one after the other, and clients do not notice."""

from testing import faults, playbooks
from testing.cluster import Cluster
from testing.rolls import BUSY_GAP_SECONDS, assert_nothing_lost, restarted, starts
from testing.traffic import Traffic

# A node restarts as a machine does: its init is stopped, and started again.
NODE = {"reboot_command": "docker restart --time 120 {{ ansible_host }}", "reboot_timeout": 180}
PATIENCE = {"kafka_broker_gate_patience": 5}


def test_every_machine_restarts_in_turn_and_nothing_is_lost(cluster: Cluster):
    before = starts(cluster)

    with Traffic(cluster.topology.bootstrap) as traffic:
        playbooks.run("reboot", extra=NODE, seconds=1200)
        gaps = traffic.gaps()
    account = traffic.account()

    assert sorted(restarted(before, starts(cluster))) == sorted(cluster.topology.brokers)
    assert_nothing_lost(account)
    assert max(gaps.values()) <= BUSY_GAP_SECONDS, gaps


def test_no_machine_restarts_whose_broker_a_topic_needs(cluster: Cluster):
    """The control: the gate keeps up a machine whose restart would stop all writing to a topic."""
    replicas = sorted(cluster.topology.brokers)
    strict = {"min.insync.replicas": str(len(replicas))}
    with faults.topic(cluster, "drill-strict", replicas, **strict):
        before = starts(cluster)
        refused = playbooks.run("reboot", extra={**NODE, **PATIENCE}, check=False)
        after = starts(cluster)

    assert refused.returncode != 0
    assert "drill-strict-0 would have 2 replicas in sync without broker" in refused.stdout
    assert after == before
