"""A client that joins a ZooKeeper ensemble as an observer, as an intruder might.

Implements the quorum protocol up to the point where the leader sends the whole tree: see
Learner.registerWithLeader of ZooKeeper. It uses none of the project's modules: they are under test.
"""

import socket
import ssl
import struct
from pathlib import Path

SECONDS = 8
# Types of QuorumPacket.
OBSERVER_INFO, LEADER_INFO, ACK_EPOCH = 16, 17, 18
PROTOCOL = 0x10000
# First message of a server on an election port: version of the message, its id, its address.
ELECTION_GREETING = -65536
# No server of a test has this id.
INTRUDER = 177


class Refused(Exception):
    """The server closed the connection or sent a TLS alert before any other data."""


def connected(host: str, port: int, ca: Path, keys: Path | None) -> ssl.SSLSocket:
    """Return a connection with these keys; Refused if the handshake fails."""
    tls = ssl.create_default_context(cafile=ca)
    # Host names are tested elsewhere; nodes are reached here by addresses of their own.
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    if keys:
        tls.load_cert_chain(keys)
    plain = socket.create_connection((host, port), SECONDS)
    try:
        return tls.wrap_socket(plain)
    except OSError as error:
        plain.close()
        raise Refused(str(error)) from error


def _packet(kind: int, zxid: int, data: bytes) -> bytes:
    """Return a QuorumPacket without authentication info, in ZooKeeper's serialization."""
    return struct.pack(">iqi", kind, zxid, len(data)) + data + struct.pack(">i", -1)


def received(connection: ssl.SSLSocket, size: int) -> bytes:
    """Return ``size`` bytes; Refused if the server closes the connection before."""
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise Refused("closed without an answer")
        found += part
    return found


def tree_sent(host: str, peer_port: int, ca: Path, keys: Path | None) -> bytes:
    """Return the data that the leader sends to an observer with these keys, the tree of znodes.

    Raises Refused if the server rejects these keys. Only the leader listens on its peer port.
    """
    try:
        with connected(host, peer_port, ca, keys) as leader:
            info = struct.pack(">qiq", INTRUDER, PROTOCOL, 0)
            leader.sendall(_packet(OBSERVER_INFO, 0, info))
            kind, zxid, size = struct.unpack(">iqi", received(leader, 16))
            if kind != LEADER_INFO:
                raise Refused(f"answered with a packet of type {kind}")
            received(leader, size + 4)
            leader.sendall(_packet(ACK_EPOCH, 0, struct.pack(">i", zxid >> 32)))
            sent = b""
            while len(sent) < 1 << 20:
                try:
                    part = leader.recv(1 << 16)
                except TimeoutError:
                    break
                if not part:
                    break
                sent += part
            return sent
    except TimeoutError as error:
        raise AssertionError(f"{host}:{peer_port} neither responds nor refuses") from error
    except OSError as error:
        raise Refused(str(error)) from error


def election_accepts(host: str, election_port: int, ca: Path, keys: Path | None) -> bool:
    """Whether a server accepts votes with these keys: then it keeps the connection open.

    With TLS 1.3 a client's certificate is refused only after the handshake, so the function sends a
    message and waits for a reply.
    """
    own = b"127.0.0.1:1"
    greeting = struct.pack(">qqi", ELECTION_GREETING, INTRUDER, len(own)) + own
    try:
        with connected(host, election_port, ca, keys) as server:
            server.sendall(greeting)
            server.settimeout(3)
            return server.recv(1) != b""
    except TimeoutError:
        return True
    except (Refused, OSError):
        return False


def accepts_client(host: str, port: int, ca: Path, keys: Path | None) -> bool:
    """Whether a server returns its state to a client with these keys."""
    try:
        with connected(host, port, ca, keys) as server:
            server.sendall(b"srvr")
            return b"Mode" in b"".join(iter(lambda: server.recv(4096), b""))
    except (Refused, OSError):
        return False
