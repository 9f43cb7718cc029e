# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read a container's state, restarts and log tail from the engine; remove a container."""

from __future__ import annotations

import calendar
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .._host import engine_api
from .._host.engine_api import SOCKET

HEADER = 8


@dataclass(frozen=True)
class Container:
    """State of a container; ``started`` is the time of its last start, in epoch seconds."""

    exists: bool = False
    running: bool = False
    status: str = "absent"
    exit_code: int = 0
    restarts: int = 0
    started: float = 0.0


def remove(name: str, path: str = SOCKET, timeout: float = 60) -> None:
    """Kill a container and remove it with its anonymous volumes; raises EngineError."""
    engine_api.delete(path, f"/containers/{quote(name)}?force=1&v=1", timeout)


def inspect(name: str, path: str = SOCKET, timeout: float = 5) -> Container:
    """Return the state of a container; raises EngineError."""
    content = engine_api.get(path, f"/containers/{quote(name)}/json", timeout)
    return parse_inspection(json.loads(content)) if content is not None else Container()


def parse_inspection(found: Mapping[str, Any]) -> Container:
    """Return the state from an engine's inspection of the container."""
    state = found["State"]
    return Container(
        exists=True,
        # The engine reports a container as running while it waits for its next restart.
        running=bool(state["Running"]) and not state["Restarting"],
        status=str(state["Status"]),
        exit_code=int(state["ExitCode"]),
        restarts=int(found.get("RestartCount", 0)),
        started=epoch_seconds(str(state["StartedAt"])),
    )


def epoch_seconds(moment: str) -> float:
    """Return epoch seconds of an engine timestamp, which has nanoseconds; 0 when it is unset."""
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?", moment)
    if not found or moment.startswith("0001-"):
        return 0.0
    whole = calendar.timegm(time.strptime(found[1], "%Y-%m-%dT%H:%M:%S"))
    return whole + float(found[2] or 0)


def read_log_tail(
    name: str, lines: int, since: float = 0, path: str = SOCKET, timeout: float = 5
) -> list[str]:
    """Return the last lines of a container's log after ``since`` (epoch); raises EngineError."""
    request = f"/containers/{quote(name)}/logs?stdout=1&stderr=1&tail={lines}&since={int(since)}"
    return decode_log_stream(engine_api.get(path, request, timeout) or b"").splitlines()


def decode_log_stream(stream: bytes) -> str:
    """Return the text of a log stream; each frame has an 8-byte header that ends in its length."""
    frames = []
    while len(stream) >= HEADER:
        length = int.from_bytes(stream[4:HEADER], "big")
        frames.append(stream[HEADER : HEADER + length])
        stream = stream[HEADER + length :]
    return b"".join(frames).decode(errors="replace")
