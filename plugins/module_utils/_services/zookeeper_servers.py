# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A ZooKeeper ensemble as its servers tell it by the four-letter word ``srvr``."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, side_by_side

NOT_SERVING = "This ZooKeeper instance is not currently serving requests"
NOT_ALLOWED = "is not executed because it is not in the whitelist"
LEADING = {"leader", "standalone"}
ANSWER_LIMIT = 64 * 1024


class AnswerError(Exception):
    """A server answered with something else than its state; the text is what to tell people."""


@dataclass(frozen=True)
class Server:
    """One server of the ensemble; ``mode`` is None when it did not tell, ``error`` then why."""

    id: int
    host: str
    port: int
    mode: str | None = None
    version: str | None = None
    zxid: str | None = None
    connections: int | None = None
    error: str | None = None

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"server {self.id} ({self.host}:{self.port})"

    def as_dict(self) -> dict[str, Any]:
        """The server in plain types."""
        return dict(vars(self))


def parse(text: str) -> dict[str, Any]:
    """Mode, version, zxid and connections out of an answer to ``srvr``.

    Raises AnswerError when the server is not part of a quorum or does not know the word.
    """
    if NOT_SERVING in text:
        raise AnswerError("runs but serves no requests: it has no quorum")
    if NOT_ALLOWED in text:
        raise AnswerError("refuses the word srvr: 4lw.commands.whitelist must name it")
    fields = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    if "Mode" not in fields:
        raise AnswerError(f"gave no answer of a ZooKeeper server: {text[:60]!r}")
    connections = fields.get("Connections", "")
    return {
        "mode": fields["Mode"],
        "version": fields.get("Zookeeper version", "").partition("-")[0] or None,
        "zxid": fields.get("Zxid"),
        "connections": int(connections) if connections.isdecimal() else None,
    }


def tls_of(ca_file: str | None, cert_file: str | None) -> ssl.SSLContext | None:
    """How servers are asked over TLS; None without a CA. Raises OSError on a file it cannot use."""
    if ca_file is None:
        return None
    tls = ssl.create_default_context(cafile=ca_file)
    tls.minimum_version = ssl.TLSVersion.TLSv1_2
    if cert_file is not None:
        tls.load_cert_chain(cert_file)
    return tls


def connection_to(
    host: str, port: int, timeout: float, tls: ssl.SSLContext | None
) -> socket.socket:
    """A connection to a server, which proves by its certificate that it is ``host``."""
    plain = socket.create_connection((host, port), timeout=timeout)
    if tls is None:
        return plain
    try:
        return tls.wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def srvr(host: str, port: int, timeout: float, tls: ssl.SSLContext | None = None) -> str:
    """The server's answer to ``srvr``; raises OSError when it cannot be had."""
    deadline = Deadline(timeout)
    with connection_to(host, port, timeout, tls) as connection:
        connection.sendall(b"srvr")
        answer = b""
        while len(answer) < ANSWER_LIMIT:
            # Never 0, which would mean not to wait at all.
            connection.settimeout(deadline.left() or 0.001)
            part = connection.recv(4096)
            if not part:
                break
            answer += part
    return answer.decode(errors="replace")


def ask(wanted: Mapping[str, Any], timeout: float, tls: ssl.SSLContext | None = None) -> Server:
    """The state of one server; a server that cannot be asked is an answer as well.

    ``also`` are ports that are tried in turn where it does not tell at ``port``: while an ensemble
    moves from one to the other. The answer is that of the first one that told, else of ``port``.
    """
    answers = []
    for port in [wanted["port"], *(wanted.get("also") or ())]:
        answers.append(_ask({**wanted, "port": port}, timeout, tls))
        if answers[-1].error is None:
            return answers[-1]
    return answers[0]


def _ask(wanted: Mapping[str, Any], timeout: float, tls: ssl.SSLContext | None) -> Server:
    server = {"id": wanted["id"], "host": wanted["host"], "port": wanted["port"]}
    try:
        return Server(**server, **parse(srvr(wanted["host"], wanted["port"], timeout, tls)))
    except TimeoutError:
        return Server(**server, error=f"does not answer within {timeout:g} s")
    except OSError as error:
        return Server(**server, error=f"cannot be reached: {error.strerror or error}")
    except AnswerError as error:
        return Server(**server, error=str(error))


def ask_all(
    wanted: Sequence[Mapping[str, Any]], timeout: float, tls: ssl.SSLContext | None = None
) -> list[Server]:
    """The state of every server, asked at the same time, in the order given."""
    questions = {position: partial(ask, one, timeout, tls) for position, one in enumerate(wanted)}
    # A name that does not resolve waits beyond the socket's own timeout.
    answers = side_by_side(questions, Deadline(timeout + 1))
    return [
        answer
        if isinstance(answer, Server)
        else Server(one["id"], one["host"], one["port"], error=str(answer))
        for one, answer in zip(wanted, answers.values())
    ]


def report(servers: Sequence[Server]) -> dict[str, Any]:
    """What the ensemble is, and in messages what is wrong with it.

    ``quorum`` asks that nobody is missing: one leader, all others following. ``available`` asks
    only what clients need: a leader and a majority.
    """
    leaders = [server for server in servers if server.mode in LEADING]
    serving = [server for server in servers if server.mode]
    problems = [f"{server.name} {server.error}" for server in servers if server.error]
    if not leaders:
        problems.append("no server leads")
    if len(leaders) > 1:
        several = ", ".join(server.name for server in leaders)
        problems.append(f"more than one server leads: {several}; they are not one ensemble")
    alone = [server for server in leaders if server.mode == "standalone"]
    if alone and len(servers) > 1:
        problems.append(f"{alone[0].name} runs alone, not as one of {len(servers)}")
    versions = sorted({server.version for server in serving if server.version})
    if len(versions) > 1:
        problems.append(f"servers run different versions: {', '.join(versions)}")
    one_leader = len(leaders) == 1 and (not alone or len(servers) == 1)
    return {
        "servers": [server.as_dict() for server in servers],
        "leader": leaders[0].id if one_leader else None,
        "quorum": one_leader and len(serving) == len(servers),
        "available": one_leader and len(serving) > len(servers) // 2,
        "problems": problems,
    }


def before_stop(servers: Sequence[Server], stopping: int) -> dict[str, Any]:
    """Whether the server with the id ``stopping`` may be stopped: ``safe``, and ``blockers``.

    The others must hold the quorum and be in touch with their leader. An ensemble of one or two
    can never spare a server: nothing is gained by waiting, so that does not block.
    """
    majority = len(servers) // 2 + 1
    rest = [server for server in servers if server.id != stopping and server.mode]
    itself = [server for server in servers if server.id == stopping and server.mode]
    blockers = []
    if itself and len(servers) > 2 and len(rest) < majority:
        names = ", ".join(server.name for server in servers if not server.mode)
        blockers.append(
            f"without server {stopping}, {len(rest)} of {len(servers)} servers would serve and "
            f"{majority} are needed: {names} not serving"
        )
    return {"server": stopping, "safe": not blockers, "blockers": blockers}
