"""Filters over variables of several hosts, with Ansible's types."""

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.hosts import FilterModule

host_ports = FilterModule().filters()["host_ports"]

BROKERS = [
    {"listeners": {"CLIENTS": {"advertise": "node1", "port": 9092}}},
    {"listeners": {"CLIENTS": {"advertise": "node2", "port": "9093"}}},
]


def test_record_becomes_host_and_port():
    records = [{"host": "node2", "port": 2181, "ui_port": 8080}, {"host": "node1", "port": 2182}]
    assert host_ports(records) == ["node2:2181", "node1:2182"]
    assert host_ports(records[:1], port="ui_port") == ["node2:8080"]
    assert host_ports([]) == []


def test_keys_can_be_paths():
    found = host_ports(BROKERS, "listeners.CLIENTS.advertise", "listeners.CLIENTS.port")
    assert found == ["node1:9092", "node2:9093"]


@pytest.mark.parametrize("port", ["listeners.BROKERS.port", "listeners.CLIENTS.port.more"])
def test_missing_key_is_an_error_with_key_and_number_of_the_record(port):
    with pytest.raises(
        AnsibleFilterError, match=f"host_ports: entry 1 has no {port}; found the keys .*listeners"
    ):
        host_ports(BROKERS, "listeners.CLIENTS.advertise", port)
