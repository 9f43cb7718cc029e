"""Machines reboot one after the other without an outage of clients."""

import testinfra
from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import BUSY_GAP_SECONDS, assert_nothing_lost, restarted, starts
from testing.traffic import Traffic

# A node reboots by a restart of its container, which stops and starts its init.
NODE = {"reboot_command": "docker restart --time 120 {{ ansible_host }}", "reboot_timeout": 180}


def test_every_machine_reboots_in_turn_and_nothing_is_lost(cluster: Cluster):
    before = starts(cluster)

    with Traffic(cluster.topology.bootstrap) as traffic:
        playbooks.run("reboot", extra=NODE, seconds=1200)
        gaps = traffic.gaps()
    result = traffic.verify()

    assert sorted(restarted(before, starts(cluster))) == sorted(cluster.topology.brokers)
    assert_nothing_lost(result)
    assert max(gaps.values()) <= BUSY_GAP_SECONDS, gaps


def test_machines_that_reboot_at_once_cause_an_outage(cluster: Cluster):
    """Negative control: without order and gate, writes wait until the machines have booted."""
    machines = [instance.machine for instance in cluster.topology.brokers.values()][:2]
    nodes = " ".join(f"km-{cluster.topology.cluster}-{machine}" for machine in machines)
    carrier = testinfra.get_host("local://")

    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        carrier.check_output(f"docker stop --time 120 {nodes}")
        carrier.check_output(f"docker start {nodes}")
        cluster.wait_until_whole()
        gaps = traffic.gaps()
    result = traffic.verify()

    assert max(gaps.values()) > BUSY_GAP_SECONDS, "the outage was not measured: the check is blind"
    assert result.lost == []
