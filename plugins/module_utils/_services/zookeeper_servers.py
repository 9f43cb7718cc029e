# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State of a ZooKeeper ensemble, read with the four-letter word command ``srvr``."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .._problems.platform_problem import Problem

# The place of problems of the whole ensemble.
GROUP = "zookeeper"
NOT_SERVING = "This ZooKeeper instance is not currently serving requests"
NOT_ALLOWED = "is not executed because it is not in the whitelist"
LEADING = {"leader", "standalone"}
ANSWER_LIMIT = 64 * 1024


class ResponseError(Exception):
    """A server's response has no state; the text is the error for messages."""


@dataclass(frozen=True)
class Server:
    """One server of the ensemble; without a state ``mode`` is None and ``error`` the reason."""

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
        """Name of the server in messages."""
        return f"server {self.id} ({self.host}:{self.port})"

    def as_dict(self) -> dict[str, Any]:
        """Return the server in plain types."""
        return dict(vars(self))


def parse(text: str) -> dict[str, Any]:
    """Return mode, version, zxid and connections from a response to ``srvr``.

    Raises ResponseError when the server has no quorum or does not allow the command.
    """
    if NOT_SERVING in text:
        raise ResponseError("runs but serves no requests: it has no quorum")
    if NOT_ALLOWED in text:
        raise ResponseError("rejects the command srvr: 4lw.commands.whitelist must list it")
    fields = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    if "Mode" not in fields:
        raise ResponseError(f"did not respond like a ZooKeeper server: {text[:60]!r}")
    connections = fields.get("Connections", "")
    return {
        "mode": fields["Mode"],
        "version": fields.get("Zookeeper version", "").partition("-")[0] or None,
        "zxid": fields.get("Zxid"),
        "connections": int(connections) if connections.isdecimal() else None,
    }


def tls_context(ca_file: str | None, cert_file: str | None) -> ssl.SSLContext | None:
    """Return the TLS context for requests; None without a CA. Raises OSError on unusable files."""
    if ca_file is None:
        return None
    tls = ssl.create_default_context(cafile=ca_file)
    tls.minimum_version = ssl.TLSVersion.TLSv1_2
    if cert_file is not None:
        tls.load_cert_chain(cert_file)
    return tls


def connect_to_server(
    host: str, port: int, timeout: float, tls: ssl.SSLContext | None
) -> socket.socket:
    """Connect to a server; with TLS its certificate must name ``host``."""
    plain = socket.create_connection((host, port), timeout=timeout)
    if tls is None:
        return plain
    try:
        return tls.wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def srvr(host: str, port: int, timeout: float, tls: ssl.SSLContext | None = None) -> str:
    """Return the server's response to ``srvr``; raises OSError when there is none."""
    deadline = Deadline(timeout)
    with connect_to_server(host, port, timeout, tls) as connection:
        connection.sendall(b"srvr")
        answer = b""
        while len(answer) < ANSWER_LIMIT:
            # Never 0, which would mean non-blocking.
            connection.settimeout(deadline.left() or 0.001)
            part = connection.recv(4096)
            if not part:
                break
            answer += part
    return answer.decode(errors="replace")


def query_server(
    wanted: Mapping[str, Any], timeout: float, tls: ssl.SSLContext | None = None
) -> Server:
    """Return the state of one server, with ``error`` when it is unreachable.

    ``also`` are further ports to try: an ensemble may be between two ports during a migration.
    The result is that of the first port that responds, otherwise that of ``port``.
    """
    states = []
    for port in [wanted["port"], *(wanted.get("other_ports") or ())]:
        states.append(_query_port({**wanted, "port": port}, timeout, tls))
        if states[-1].error is None:
            return states[-1]
    return states[0]


def _query_port(wanted: Mapping[str, Any], timeout: float, tls: ssl.SSLContext | None) -> Server:
    server = {"id": wanted["id"], "host": wanted["host"], "port": wanted["port"]}
    try:
        return Server(**server, **parse(srvr(wanted["host"], wanted["port"], timeout, tls)))
    except TimeoutError:
        return Server(**server, error=f"does not respond within {timeout:g} s")
    except OSError as error:
        return Server(**server, error=f"is unreachable: {error.strerror or error}")
    except ResponseError as error:
        return Server(**server, error=str(error))


def query_servers(
    wanted: Sequence[Mapping[str, Any]], timeout: float, tls: ssl.SSLContext | None = None
) -> list[Server]:
    """Return the state of every server in the same order; requests run in parallel."""
    calls = {at: partial(query_server, one, timeout, tls) for at, one in enumerate(wanted)}
    # Name resolution is not bounded by the socket's timeout.
    results = run_in_parallel(calls, Deadline(timeout + 1))
    return [
        result
        if isinstance(result, Server)
        else Server(one["id"], one["host"], one["port"], error=str(result))
        for one, result in zip(wanted, results.values())
    ]


# Page for an ensemble without one leader.
HELP = "docs/operate/alerts/ZooKeeperWithoutQuorum.md"


def problems(servers: Sequence[Server]) -> list[Problem]:
    """Return the problems of an ensemble."""
    leaders = [server for server in servers if server.mode in LEADING]
    found = [
        Problem("ServiceDown", f"zk{server.id}", f"{server.name} {server.error}")
        for server in servers
        if server.error
    ]
    if not leaders:
        found.append(Problem("NoLeader", GROUP, "no server is leader", HELP))
    if len(leaders) > 1:
        several = ", ".join(server.name for server in leaders)
        text = f"more than one server is leader: {several}; they are not one ensemble"
        found.append(Problem("NoLeader", GROUP, text, HELP))
    alone = [server for server in leaders if server.mode == "standalone"]
    if alone and len(servers) > 1:
        text = f"{alone[0].name} runs standalone, not as one of {len(servers)}"
        found.append(Problem("NoLeader", GROUP, text, HELP))
    versions = sorted({server.version for server in servers if server.mode and server.version})
    if len(versions) > 1:
        text = f"servers run different versions: {', '.join(versions)}"
        found.append(Problem("VersionsDiffer", GROUP, text))
    return found


def report(servers: Sequence[Server]) -> dict[str, Any]:
    """Return the state of the ensemble, and its problems as messages.

    ``quorum``: one leader, and all other servers follow. ``available``: a leader and a majority,
    which is enough for clients.
    """
    leaders = [server for server in servers if server.mode in LEADING]
    serving = [server for server in servers if server.mode]
    alone = any(server.mode == "standalone" for server in leaders)
    one_leader = len(leaders) == 1 and (not alone or len(servers) == 1)
    return {
        "servers": [server.as_dict() for server in servers],
        "leader": leaders[0].id if one_leader else None,
        "quorum": one_leader and len(serving) == len(servers),
        "available": one_leader and len(serving) > len(servers) // 2,
        "problems": [each.text for each in problems(servers)],
    }


def before_stop(servers: Sequence[Server], stopping: int) -> dict[str, Any]:
    """Whether the server with the id ``stopping`` may be stopped: ``safe``, and ``blockers``.

    The others must keep the quorum and be connected to their leader. An ensemble of one or two
    servers never keeps it: waiting would not help, so that is no blocker.
    """
    majority = len(servers) // 2 + 1
    rest = [server for server in servers if server.id != stopping and server.mode]
    itself = [server for server in servers if server.id == stopping and server.mode]
    blockers = []
    if itself and len(servers) > 2 and len(rest) < majority:
        names = ", ".join(server.name for server in servers if not server.mode)
        blockers.append(
            f"without server {stopping}, {len(rest)} of {len(servers)} servers would serve, and "
            f"{majority} are needed: {names} not serving"
        )
    return {"server": stopping, "safe": not blockers, "blockers": blockers}
