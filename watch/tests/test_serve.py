"""Probe and exporter on real sockets of loopback; no cluster is there, and none is needed."""

import socket
import threading
from http.client import HTTPConnection

import pytest
from kafka_metal_watch.cli import config_of, export, probe

ROLES = {"probe": probe, "exporter": export}


def loopback(address):
    """A free port of ``address``; a machine without IPv6 cannot say how it would answer there."""
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
def where(request):
    """An address with a free port, and the endpoint as a configuration says it."""
    address, said = request.param
    port = loopback(address)
    return address, port, f"{said}:{port}"


def begun(role, endpoint):
    """Begin a role that is to end at once: its server answers until the tests end."""
    ended = threading.Event()
    ended.set()
    kafka = {"bootstrap.servers": "127.0.0.1:1"}
    ROLES[role](config_of(role, {"listen": endpoint, "kafka": kafka}), ended)


def asked(address, port, method):
    connection = HTTPConnection(address, port, timeout=10)
    connection.request(method, "/metrics")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.mark.parametrize("role", sorted(ROLES))
def test_figures_are_shown_where_the_configuration_says_and_nothing_is_changed(role, where):
    address, port, endpoint = where
    begun(role, endpoint)

    status, body = asked(address, port, "GET")
    assert status == 200
    assert b"process_cpu_seconds_total" in body
    assert [asked(address, port, each)[0] for each in ("POST", "PUT", "DELETE")] == [405] * 3
