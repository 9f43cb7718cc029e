# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read a container's state, restarts and end of its log from the engine's socket; remove it."""

from __future__ import annotations

import calendar
import http.client
import json
import re
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

SOCKET = "/var/run/docker.sock"
HEADER = 8
# Kafka says so for each log it has loaded after a start, by log dir.
LOADED = re.compile(r"\((\d+)/(\d+) completed in ([^)]+)\)")


class EngineError(Exception):
    """The engine does not answer, or refuses; the text says where and why."""


@dataclass(frozen=True)
class Container:
    """A container at one moment; ``started`` is the time of its last start, in epoch seconds."""

    exists: bool = False
    running: bool = False
    status: str = "absent"
    exit_code: int = 0
    restarts: int = 0
    started: float = 0.0


class Connection(http.client.HTTPConnection):
    """HTTP over the engine's socket."""

    def __init__(self, path: str, timeout: float) -> None:
        """Remember where the socket is."""
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        """Open the socket instead of a TCP connection."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def get(path: str, question: str, timeout: float) -> bytes | None:
    """The engine's answer, None when it knows no such thing; raises EngineError."""
    return _ask("GET", path, question, timeout)


def remove(name: str, path: str = SOCKET, timeout: float = 60) -> None:
    """Kill a container and remove it with its anonymous volumes; raises EngineError."""
    _ask("DELETE", path, f"/containers/{quote(name)}?force=1&v=1", timeout)


def _ask(method: str, path: str, question: str, timeout: float) -> bytes | None:
    connection = Connection(path, timeout)
    try:
        connection.request(method, question)
        answer = connection.getresponse()
        content = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise EngineError(f"the engine does not answer on {path}: {error}") from error
    finally:
        connection.close()
    if answer.status == 404:
        return None
    if answer.status not in (200, 204):
        raise EngineError(f"the engine refuses {question}: {content[:200]!r}")
    return content


def inspect(name: str, path: str = SOCKET, timeout: float = 5) -> Container:
    """The state of a container; raises EngineError."""
    content = get(path, f"/containers/{quote(name)}/json", timeout)
    return container_of(json.loads(content)) if content is not None else Container()


def container_of(found: Mapping[str, Any]) -> Container:
    """A container out of the engine's words."""
    state = found["State"]
    return Container(
        exists=True,
        # While it waits for its next try, the engine calls it running.
        running=bool(state["Running"]) and not state["Restarting"],
        status=str(state["Status"]),
        exit_code=int(state["ExitCode"]),
        restarts=int(found.get("RestartCount", 0)),
        started=epoch(str(state["StartedAt"])),
    )


def epoch(moment: str) -> float:
    """Seconds of a time as the engine writes it, with nine digits of a second."""
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?", moment)
    if not found or moment.startswith("0001-"):
        return 0.0
    whole = calendar.timegm(time.strptime(found[1], "%Y-%m-%dT%H:%M:%S"))
    return whole + float(found[2] or 0)


def log(
    name: str, lines: int, since: float = 0, path: str = SOCKET, timeout: float = 5
) -> list[str]:
    """The last lines of a container's log, those after ``since``; raises EngineError."""
    question = f"/containers/{quote(name)}/logs?stdout=1&stderr=1&tail={lines}&since={int(since)}"
    return text_of(get(path, question, timeout) or b"").splitlines()


def text_of(stream: bytes) -> str:
    """Text of a log whose pieces carry a header of eight bytes, the last four their length."""
    pieces = []
    while len(stream) >= HEADER:
        length = int.from_bytes(stream[4:HEADER], "big")
        pieces.append(stream[HEADER : HEADER + length])
        stream = stream[HEADER + length :]
    return b"".join(pieces).decode(errors="replace")


def recovered(lines: Iterable[str]) -> tuple[int, int] | None:
    """Logs that a broker has loaded since its start, and how many there are, over all log dirs.

    None while it has not begun; a log dir that it has not come to yet does not count.
    """
    dirs = {
        found[3]: (int(found[1]), int(found[2])) for found in map(LOADED.search, lines) if found
    }
    if not dirs:
        return None
    return sum(done for done, _ in dirs.values()), sum(total for _, total in dirs.values())
