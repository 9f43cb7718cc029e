"""Requests of the ZooKeeper client, and its handling of responses."""

import socket
import struct
import threading

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._services import zookeeper_client
from ansible_collections.metal.kafka.plugins.module_utils._services.zookeeper_client import (
    Acl,
    ZooKeeperError,
    encode_acls,
    first_available,
)

OWNER = Acl("x509", "CN=brokers,O=shop", "cdrwa")


class Server:
    """A server for one session that returns prepared responses (code, body) in order."""

    def __init__(self, *responses):
        self._responses, self.requests = [*responses, (0, b"")], []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.place = {"host": "127.0.0.1", "port": self._listener.getsockname()[1]}
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        with self._listener, self._listener.accept()[0] as client:
            stream = client.makefile("rwb", buffering=0)
            self._read(stream)
            self._write(stream, struct.pack(">iiqi16xB", 0, 10_000, 1, 16, 0))
            for xid, (code, body) in enumerate(self._responses, 1):
                self.requests.append(self._read(stream))
                self._write(stream, struct.pack(">iqi", xid, 1, code) + body)

    def _read(self, stream):
        return stream.read(struct.unpack(">i", stream.read(4))[0])

    def _write(self, stream, body):
        stream.write(struct.pack(">i", len(body)) + body)


def session(server):
    return first_available([server.place], 5, None)


def test_acls_with_commas_are_read():
    with session(Server((0, encode_acls([OWNER, Acl("world", "anyone", "r")])))) as client:
        assert client.acl("/") == [OWNER, Acl("world", "anyone", "r")]


def test_missing_node_has_no_acls():
    with session(Server((zookeeper_client.NO_NODE, b""))) as client:
        assert client.acl("/consumers") is None


def test_error_names_the_request():
    with (
        session(Server((zookeeper_client.NO_AUTH, b""))) as client,
        pytest.raises(ZooKeeperError, match="set the ACL of /: this certificate is not authorized"),
    ):
        client.set_acl("/", [OWNER])


def test_existing_node_is_not_recreated():
    server = Server((zookeeper_client.NODE_EXISTS, b""))
    with session(server) as client:
        client.create("/kafka-metal", [OWNER])
    assert b"/kafka-metal" in server.requests[0]


def test_all_unreachable_servers_are_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    places = [{"host": "127.0.0.1", "port": port, "other_ports": [port]}]
    with pytest.raises(OSError, match=f"127.0.0.1:{port}: .*; 127.0.0.1:{port}: "):
        first_available(places, 1, None)
