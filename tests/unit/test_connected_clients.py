"""Connected clients of a port are counted, for IPv4 and IPv6."""

import socket

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import connected_clients

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2384 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 0100007F:2384 0700000A:C350 01 00000000:00000000 00:00000000 00000000     0        0 2
   2: 0100007F:2384 0700000A:C351 06 00000000:00000000 00:00000000 00000000     0        0 3
   3: 0100007F:1F90 0700000A:C352 01 00000000:00000000 00:00000000 00000000     0        0 4
"""


def test_only_established_connections_to_the_ports_count():
    assert connected_clients.find_connections(TABLE, [0x2384]) == [(0x2384, "10.0.0.7")]


def test_ipv4_client_of_an_ipv6_listener_has_its_ipv4_address():
    row = TABLE.splitlines()[2].replace("0700000A", "0000000000000000FFFF00000700000A")
    assert connected_clients.find_connections(f"head\n{row}", [0x2384]) == [(0x2384, "10.0.0.7")]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_real_connection_is_counted_until_it_ends(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection((host, port)):
            assert connected_clients.count_connections([port]) == {port: {host: 1}}
        assert connected_clients.count_connections([port]) == {}


def test_names_are_resolved_and_unresolvable_ones_omitted():
    assert connected_clients.resolve_names(["127.0.0.1", "10.0.0.7", "unknown.invalid"]) == [
        "10.0.0.7",
        "127.0.0.1",
    ]
