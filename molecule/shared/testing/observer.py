"""Who joins a ZooKeeper ensemble as an observer: what an intruder with a certificate would do.

The quorum's protocol as far as an observer speaks it before it is sent the whole tree: see
Learner.registerWithLeader of ZooKeeper. Without the project's own modules, which are under test.
"""

import socket
import ssl
import struct
from pathlib import Path

SECONDS = 8
# Types of QuorumPacket.
OBSERVER_INFO, LEADER_INFO, ACK_EPOCH = 16, 17, 18
PROTOCOL = 0x10000
# First words of a server on an election port: version of the message, its id, its address.
ELECTION_GREETING = -65536
# No server of a test has this id.
INTRUDER = 177


class Refused(Exception):
    """The server closed the connection, or sent a TLS alert, before it sent anything else."""


def connected(host: str, port: int, ca: Path, keys: Path | None) -> ssl.SSLSocket:
    """A connection that shows these keys; Refused where the handshake says so."""
    tls = ssl.create_default_context(cafile=ca)
    # Names are tested elsewhere: a node is asked here at an address of its own.
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
    """A QuorumPacket without authentication info, in ZooKeeper's serialization."""
    return struct.pack(">iqi", kind, zxid, len(data)) + data + struct.pack(">i", -1)


def received(connection: ssl.SSLSocket, size: int) -> bytes:
    """So many bytes; Refused where the other side ends before."""
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise Refused("closed without an answer")
        found += part
    return found


def tree_sent(host: str, peer_port: int, ca: Path, keys: Path | None) -> bytes:
    """What the leader sends to an observer with these keys: its first bytes have the whole tree.

    Raises Refused where the server accepts nobody with these keys. Works at the leader alone;
    other servers do not listen on their peer port.
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
        raise AssertionError(f"{host}:{peer_port} neither answers nor refuses") from error
    except OSError as error:
        raise Refused(str(error)) from error


def election_accepts(host: str, election_port: int, ca: Path, keys: Path | None) -> bool:
    """Whether a server takes votes of who has these keys: it keeps the connection open.

    With TLS 1.3 a client learns only after the handshake that its certificate is refused, so
    something is sent and the answer awaited.
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


def answers_clients(host: str, port: int, ca: Path, keys: Path | None) -> bool:
    """Whether a server tells its state to a client with these keys."""
    try:
        with connected(host, port, ca, keys) as server:
            server.sendall(b"srvr")
            return b"Mode" in b"".join(iter(lambda: server.recv(4096), b""))
    except (Refused, OSError):
        return False
