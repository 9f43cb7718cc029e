"""What one host is told of others, as Ansible gives and takes it."""

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.hosts import FilterModule

host_ports = FilterModule().filters()["host_ports"]

BROKERS = [
    {"listeners": {"CLIENTS": {"advertise": "node1", "port": 9092}}},
    {"listeners": {"CLIENTS": {"advertise": "node2", "port": "9093"}}},
]


def test_a_record_is_reached_at_its_host_and_port():
    records = [{"host": "node2", "port": 2181, "ui_port": 8080}, {"host": "node1", "port": 2182}]
    assert host_ports(records) == ["node2:2181", "node1:2182"]
    assert host_ports(records[:1], port="ui_port") == ["node2:8080"]
    assert host_ports([]) == []


def test_keys_may_lie_deeper():
    found = host_ports(BROKERS, "listeners.CLIENTS.advertise", "listeners.CLIENTS.port")
    assert found == ["node1:9092", "node2:9093"]


@pytest.mark.parametrize("port", ["listeners.BROKERS.port", "listeners.CLIENTS.port.more"])
def test_a_record_without_its_key_is_an_error_that_names_both(port):
    with pytest.raises(AnsibleFilterError, match=f"no {port} in .*node1"):
        host_ports(BROKERS, "listeners.CLIENTS.advertise", port)
