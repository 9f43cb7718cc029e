"""Preflight finds firewalls and wrong names between machines, and leaves no listener behind."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]

# A second cluster on the same machines, not running yet.
SECOND = {
    "cluster_name": "second",
    "zookeeper_client_port": 12181,
    "zookeeper_peer_port": 12888,
    "zookeeper_election_port": 13888,
    "kafka_broker_listeners": {
        name: {
            "bind": "0.0.0.0",
            "advertise": "{{ inventory_hostname }}",
            "port": port,
            "protocol": "PLAINTEXT",
        }
        for name, port in (("CLIENTS", 19092), ("BROKERS", 19192))
    },
}

Preflight = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def preflight(inventory: str) -> Preflight:
    """Run preflight; ``variables`` take precedence over the inventory."""

    def run(**variables: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ansible-playbook", "-i", inventory, "-e", json.dumps(variables),
             str(ROOT / "playbooks/preflight.yml")],
            cwd=ROOT, env={**os.environ, "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default"},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


@contextmanager
def firewall(machine, *rule: str) -> Iterator[None]:
    """Insert a rule of the machine's packet filter during the block."""
    text = "INPUT --protocol tcp " + " ".join(rule)
    machine.check_output(f"iptables -I {text}")
    try:
        yield
    finally:
        machine.check_output(f"iptables -D {text}")


def test_a_running_platform_has_no_problems(cluster: Cluster, preflight: Preflight):
    done = preflight()

    assert done.returncode == 0, done.stdout
    assert "checks on 3 machines: no problems" in done.stdout
    # The running services listen themselves.
    assert "Listen for a minute on ports" not in done.stdout


def test_a_dropped_port_is_reported_with_both_machines_and_can_be_accepted(
    cluster: Cluster, connect, preflight: Preflight
):
    with firewall(connect("node2"), "--dport 9192", "--source node1", "-j DROP"):
        refused = preflight()
        accepted = preflight(metal_preflight_accept=["reachable"])

    assert refused.returncode != 0
    assert (
        "node2: kafka_broker_listeners.BROKERS.port: found no response (timeout) at node2:9192 "
        "from node1 (needed for replication)" in refused.stdout
    )
    assert "Nothing was touched: 1 problem(s)" in refused.stdout
    assert accepted.returncode == 0, accepted.stdout
    assert "accepted: node2: kafka_broker_listeners.BROKERS.port" in accepted.stdout


def test_ports_of_a_stopped_platform_are_tested_and_free_again(
    cluster: Cluster, connect, preflight: Preflight
):
    with firewall(connect("node3"), "--dport 13888", "-j REJECT"):
        refused = preflight(**SECOND)
    valid = preflight(**SECOND)

    assert refused.returncode != 0
    assert (
        "node3: zookeeper_election_port: found a refused connection at node3:13888 from node1, "
        "node2 (needed for elections)" in refused.stdout
    )
    assert "Nothing was touched: 1 problem(s)" in refused.stdout
    assert valid.returncode == 0, valid.stdout
    for name in ("node1", "node2", "node3"):
        listening = connect(name).check_output("ss --listening --tcp --numeric --no-header")
        assert ":9192" in listening
        assert not any(f":{port} " in listening for port in (12181, 12888, 13888, 19092, 19192))


def test_a_name_with_the_address_of_another_machine_is_reported(
    cluster: Cluster, connect, preflight: Preflight
):
    node1 = connect("node1")
    wrong = node1.check_output("getent hosts node3").split()[0]
    # Overwritten in place, because the file may be mounted into the node.
    node1.check_output("cp /etc/hosts /etc/hosts.drill")
    node1.check_output("echo %s node2 | cat - /etc/hosts.drill > /etc/hosts", wrong)
    try:
        refused = preflight()
    finally:
        node1.check_output("cat /etc/hosts.drill > /etc/hosts && rm /etc/hosts.drill")

    assert refused.returncode != 0
    assert (
        f"node2: node2: found a name that node1 resolves to {wrong}, which is not an address of "
        "node2 but of node3" in refused.stdout
    )
