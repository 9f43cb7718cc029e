# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A client of ZooKeeper for what no tool of it can say: ACLs whose ids have commas in them.

`setAcl` of ZooKeeper's shell splits at each comma, and a certificate's subject has some. Four
requests of the protocol (ZooKeeper's zookeeper.jute) need no library on the hosts.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import ssl
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .zookeeper_servers import connection_to

CREATE, GET_ACL, SET_ACL, CLOSE = 1, 6, 7, -11
NO_NODE, NO_AUTH, NODE_EXISTS = -101, -102, -110
REASONS = {NO_AUTH: "this certificate has no right to", -113: "session moved", -114: "invalid ACL"}
SESSION_MS = 10_000
LARGEST_ANSWER = 4 << 20
# Letters as ZooKeeper's shell writes them, and their bits.
RIGHTS = {"r": 1, "w": 2, "c": 4, "d": 8, "a": 16}
# In the order of that shell.
LETTERS = "cdrwa"


class ZooKeeperError(Exception):
    """A request that was refused; ``code`` is ZooKeeper's."""

    def __init__(self, what: str, code: int) -> None:
        """Say what was asked for and why it was refused."""
        super().__init__(f"{what}: {REASONS.get(code, 'error')} ({code})")
        self.code = code


@dataclass(frozen=True, order=True)
class Acl:
    """Who may do what with a node; ``rights`` are letters of ``cdrwa``."""

    scheme: str
    id: str
    rights: str

    def __str__(self) -> str:
        """As ZooKeeper's shell writes it."""
        return f"{self.scheme}:{self.id}:{self.rights}"


def bits(rights: str) -> int:
    """Rights as a number."""
    return sum(RIGHTS[each] for each in rights)


def letters(number: int) -> str:
    """Rights as letters, in the order of ZooKeeper's shell."""
    return "".join(each for each in LETTERS if number & RIGHTS[each])


def text(value: str) -> bytes:
    """A string with its length before it."""
    raw = value.encode()
    return struct.pack(">i", len(raw)) + raw


def acls(wanted: Sequence[Acl]) -> bytes:
    """A vector of ACLs."""
    entries = (struct.pack(">i", bits(a.rights)) + text(a.scheme) + text(a.id) for a in wanted)
    return struct.pack(">i", len(wanted)) + b"".join(entries)


class Reader:
    """Takes values off an answer, in order."""

    def __init__(self, raw: bytes) -> None:
        """Begin at the front."""
        self._raw, self._at = raw, 0

    def number(self) -> int:
        """A signed number of four bytes."""
        self._at += 4
        return int(struct.unpack_from(">i", self._raw, self._at - 4)[0])

    def text(self) -> str:
        """A string."""
        size = self.number()
        self._at += size
        return self._raw[self._at - size : self._at].decode()


class Client:
    """One session with one server; closed at the end of a ``with`` block.

    Raises OSError where a server cannot be reached or goes away, ZooKeeperError where it refuses.
    """

    def __init__(self, host: str, port: int, timeout: float, tls: ssl.SSLContext | None) -> None:
        """Connect and begin a session."""
        self._socket = connection_to(host, port, timeout, tls)
        self._xid = 0
        self._send(struct.pack(">iqiq", 0, 0, SESSION_MS, 0) + struct.pack(">i16xB", 16, 0))
        self._answer()

    def __enter__(self) -> Client:
        """Nothing more than itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the session."""
        try:
            self._ask("close", CLOSE, b"")
        except (OSError, ZooKeeperError):
            pass
        finally:
            self._socket.close()

    def acl(self, path: str) -> list[Acl] | None:
        """The ACLs of a node; None where there is none."""
        try:
            answer = self._ask(f"read the ACL of {path}", GET_ACL, text(path))
        except ZooKeeperError as error:
            if error.code == NO_NODE:
                return None
            raise
        found = []
        for _ in range(answer.number()):
            rights = letters(answer.number())
            found.append(Acl(answer.text(), answer.text(), rights))
        return found

    def set_acl(self, path: str, wanted: Sequence[Acl]) -> None:
        """Give a node these ACLs."""
        self._ask(
            f"set the ACL of {path}", SET_ACL, text(path) + acls(wanted) + struct.pack(">i", -1)
        )

    def create(self, path: str, wanted: Sequence[Acl]) -> None:
        """Make an empty node that stays; one that is there already is left as it is."""
        try:
            body = text(path) + struct.pack(">i", 0) + acls(wanted) + struct.pack(">i", 0)
            self._ask(f"create {path}", CREATE, body)
        except ZooKeeperError as error:
            if error.code != NODE_EXISTS:
                raise

    def _ask(self, what: str, kind: int, body: bytes) -> Reader:
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
            raise OSError(f"answered with {size} bytes")
        return self._received(size)

    def _received(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            if not part:
                raise OSError("closed the connection")
            found += part
        return found


def first_that_serves(
    servers: Sequence[Mapping[str, Any]], timeout: float, tls: ssl.SSLContext | None
) -> Client:
    """A session with the first server that gives one; raises OSError naming all of them."""
    reasons = []
    for server in servers:
        for port in [server["port"], *(server.get("also") or ())]:
            try:
                return Client(server["host"], int(port), timeout, tls)
            except OSError as error:
                reasons.append(f"{server['host']}:{port}: {error.strerror or error}")
    raise OSError("; ".join(reasons))
