"""States of connections, and the lifetime of the helper."""

import socket
import time
import uuid

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import listeners, port_probe, procfs


@pytest.fixture
def token():
    name = uuid.uuid4().hex
    yield name
    port_probe.stop(name)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def helper(token: str, seconds: float) -> int:
    """Start a helper process and return its port."""
    port = free_port()
    opened, unbound = port_probe.bind_all([("127.0.0.1", port)])
    assert unbound == {}
    port_probe.serve_detached(list(opened.values()), token, seconds)
    return port


def test_unused_port_is_refused():
    assert port_probe.connect(("127.0.0.1", free_port())) == "refused"


def test_unknown_name_is_unresolved(monkeypatch):
    def fail(*_arguments, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert port_probe.connect(("no-such-host.invalid", 1)) == "unresolved"


def test_full_accept_queue_is_a_timeout():
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        place = full.getsockname()
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(place)
        assert port_probe.connect(place, seconds=0.3) == "timeout"
        for each in waiting:
            each.close()


def test_stopped_helper_frees_its_port(token):
    port = helper(token, seconds=30)
    for _ in range(3):
        assert port_probe.connect(("127.0.0.1", port)) == "connected"
    assert port_probe.stop(token) is True
    assert port_probe.connect(("127.0.0.1", port)) == "refused"
    # A service can bind the port immediately.
    with socket.socket() as service:
        service.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        service.bind(("127.0.0.1", port))
    assert port_probe.stop(token) is False


def test_helper_has_its_own_process_name(token):
    port = helper(token, seconds=30)
    sockets = list(listeners.listening_sockets(procfs.read("/proc/net/tcp")))
    inode = next(inode for _, at, inode in sockets if at == port)
    end = time.monotonic() + 5
    # The name is set after the fork.
    while listeners.socket_owners()[inode][0] != port_probe.HELPER:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_helper_closes_connections_immediately(token):
    port = helper(token, seconds=30)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        assert client.recv(1) == b""


def test_helper_ends_after_its_lifetime(token):
    port = helper(token, seconds=0.5)
    assert port_probe.connect(("127.0.0.1", port)) == "connected"
    end = time.monotonic() + 10
    while port_probe.connect(("127.0.0.1", port)) == "connected":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert port_probe.stop(token) is False


def test_failed_bind_has_a_reason():
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
        opened, unbound = port_probe.bind_all([("127.0.0.1", port), ("192.0.2.99", 1)])
    assert opened == {}
    assert unbound["127.0.0.1", port] == "Address already in use"
    assert unbound["192.0.2.99", 1] == "Cannot assign requested address"


def test_every_endpoint_has_a_state():
    port = free_port()
    found = port_probe.connect_all([("127.0.0.1", port), ("127.0.0.1", port)])
    assert found == [{"address": "127.0.0.1", "port": port, "state": "refused"}]
