# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A ZooKeeper client that sets ACLs whose ids have commas, such as subjects of certificates.

ZooKeeper's own shell cannot: its `setAcl` splits at each comma. Four requests of the protocol
(ZooKeeper's zookeeper.jute) need no library on the hosts.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import ssl
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .zookeeper_servers import connect_to_server

CREATE, GET_ACL, SET_ACL, CLOSE = 1, 6, 7, -11
NO_NODE, NO_AUTH, NODE_EXISTS = -101, -102, -110
REASONS = {
    NO_AUTH: "this certificate is not authorized",
    -113: "session moved",
    -114: "invalid ACL",
}
SESSION_MS = 10_000
LARGEST_ANSWER = 4 << 20
# Letters as ZooKeeper's shell writes them, and their bits.
RIGHTS = {"r": 1, "w": 2, "c": 4, "d": 8, "a": 16}
# In the order of that shell.
LETTERS = "cdrwa"


class ZooKeeperError(Exception):
    """A request that the server rejected; ``code`` is ZooKeeper's error code."""

    def __init__(self, what: str, code: int) -> None:
        """Name the request and the reason."""
        super().__init__(f"{what}: {REASONS.get(code, 'error')} ({code})")
        self.code = code


@dataclass(frozen=True, order=True)
class Acl:
    """An entry of a znode's ACL; ``rights`` are letters of ``cdrwa``."""

    scheme: str
    id: str
    rights: str

    def __str__(self) -> str:
        """Return the notation of ZooKeeper's shell."""
        return f"{self.scheme}:{self.id}:{self.rights}"


def encode_rights(rights: str) -> int:
    """Return rights as a bit mask."""
    return sum(RIGHTS[each] for each in rights)


def decode_rights(number: int) -> str:
    """Return rights as letters, in the order of ZooKeeper's shell."""
    return "".join(each for each in LETTERS if number & RIGHTS[each])


def encode_text(value: str) -> bytes:
    """Encode a string, prefixed with its length."""
    raw = value.encode()
    return struct.pack(">i", len(raw)) + raw


def encode_acls(wanted: Sequence[Acl]) -> bytes:
    """Encode a vector of ACLs."""
    entries = (
        struct.pack(">i", encode_rights(a.rights)) + encode_text(a.scheme) + encode_text(a.id)
        for a in wanted
    )
    return struct.pack(">i", len(wanted)) + b"".join(entries)


class Reader:
    """Decodes the values of a response in order."""

    def __init__(self, raw: bytes) -> None:
        """Start at the first byte."""
        self._raw, self._at = raw, 0

    def number(self) -> int:
        """Return a signed number of four bytes."""
        self._at += 4
        return int(struct.unpack_from(">i", self._raw, self._at - 4)[0])

    def text(self) -> str:
        """Read a string: its length in bytes, then UTF-8."""
        size = self.number()
        self._at += size
        return self._raw[self._at - size : self._at].decode()


class Client:
    """One session with one server; closed at the end of a ``with`` block.

    Raises OSError when a server is unreachable or disconnects, ZooKeeperError when it rejects.
    """

    def __init__(self, host: str, port: int, timeout: float, tls: ssl.SSLContext | None) -> None:
        """Connect and begin a session."""
        self._socket = connect_to_server(host, port, timeout, tls)
        self._xid = 0
        self._send(struct.pack(">iqiq", 0, 0, SESSION_MS, 0) + struct.pack(">i16xB", 16, 0))
        self._answer()

    def __enter__(self) -> Client:
        """Return the client; its session ends with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the session."""
        try:
            self._request("close", CLOSE, b"")
        except (OSError, ZooKeeperError):
            pass
        finally:
            self._socket.close()

    def acl(self, path: str) -> list[Acl] | None:
        """Return the ACLs of a znode; None when it does not exist."""
        try:
            answer = self._request(f"read the ACL of {path}", GET_ACL, encode_text(path))
        except ZooKeeperError as error:
            if error.code == NO_NODE:
                return None
            raise
        found = []
        for _ in range(answer.number()):
            rights = decode_rights(answer.number())
            found.append(Acl(answer.text(), answer.text(), rights))
        return found

    def set_acl(self, path: str, wanted: Sequence[Acl]) -> None:
        """Replace all ACLs of a znode, whatever its version."""
        self._request(
            f"set the ACL of {path}",
            SET_ACL,
            encode_text(path) + encode_acls(wanted) + struct.pack(">i", -1),
        )

    def create(self, path: str, wanted: Sequence[Acl]) -> None:
        """Create an empty persistent znode; an existing one is not changed."""
        try:
            body = (
                encode_text(path)
                + struct.pack(">i", 0)
                + encode_acls(wanted)
                + struct.pack(">i", 0)
            )
            self._request(f"create {path}", CREATE, body)
        except ZooKeeperError as error:
            if error.code != NODE_EXISTS:
                raise

    def _request(self, what: str, kind: int, body: bytes) -> Reader:
        self._xid += 1
        self._send(struct.pack(">ii", self._xid, kind) + body)
        raw = self._answer()
        code = int(struct.unpack_from(">iqi", raw)[2])
        if code:
            raise ZooKeeperError(what, code)
        return Reader(raw[16:])

    def _send(self, body: bytes) -> None:
        self._socket.sendall(struct.pack(">i", len(body)) + body)

    def _answer(self) -> bytes:
        size = int(struct.unpack(">i", self._received(4))[0])
        if not 0 <= size <= LARGEST_ANSWER:
            raise OSError(f"the response has {size} bytes")
        return self._received(size)

    def _received(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            if not part:
                raise OSError("the server closed the connection")
            found += part
        return found


def first_available(
    servers: Sequence[Mapping[str, Any]], timeout: float, tls: ssl.SSLContext | None
) -> Client:
    """Return a session with the first reachable server; raises OSError with all their errors."""
    reasons = []
    for server in servers:
        for port in [server["port"], *(server.get("other_ports") or ())]:
            try:
                return Client(server["host"], int(port), timeout, tls)
            except OSError as error:
                reasons.append(f"{server['host']}:{port}: {error.strerror or error}")
    raise OSError("; ".join(reasons))
