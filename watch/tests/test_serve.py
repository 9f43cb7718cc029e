"""Probe and exporter serve metrics on loopback sockets, without a cluster."""

import socket
import threading
from http.client import HTTPConnection

import pytest
from kafka_metal_watch.cli import export, parse_config, probe

ROLES = {"probe": probe, "exporter": export}


def loopback(address):
    """Return a free port of ``address``; skip the test on machines without IPv6."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as free:
            free.bind((address, 0))
            return free.getsockname()[1]
    except OSError as error:
        if family == socket.AF_INET:
            raise
        pytest.skip(f"this machine has no IPv6 loopback: {error}")


@pytest.fixture(
    params=[("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::1", "[::1]")],
    ids=["ipv4", "ipv6", "ipv6 in brackets"],
)
def listening(request):
    """Return an address, a free port, and the endpoint as written in a configuration."""
    address, written = request.param
    port = loopback(address)
    return address, port, f"{written}:{port}"


def start(role, endpoint):
    """Run a role that ends immediately; its server thread continues until the tests end."""
    ended = threading.Event()
    ended.set()
    kafka = {"bootstrap.servers": "127.0.0.1:1"}
    ROLES[role](parse_config(role, {"listen": endpoint, "kafka": kafka}), ended)


def request(address, port, method):
    connection = HTTPConnection(address, port, timeout=10)
    connection.request(method, "/metrics")
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


@pytest.mark.parametrize("role", sorted(ROLES))
def test_metrics_are_served_read_only_at_the_configured_address(role, listening):
    address, port, endpoint = listening
    start(role, endpoint)

    status, body = request(address, port, "GET")
    assert status == 200
    assert b"process_cpu_seconds_total" in body
    assert [request(address, port, each)[0] for each in ("POST", "PUT", "DELETE")] == [405] * 3
