# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The last error in the log of a container.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable

from .._common.messages import printable_line
from .._host import engine_api

# Lines at the end of a log that are searched, a few starts of a broker, and characters of a line
# that are reported.
LINES = 2000
WIDTH = 200
ERROR = re.compile(r"\b(ERROR|FATAL|CRITICAL|panic)\b|\w*(Exception|Error)\b|\berror:", re.ASCII)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Lines of a stack trace follow the error that they belong to.
TRACE = re.compile(r"^(\s|at |\.\.\. \d+ more|Traceback )")


def last_error(socket: str, identifier: str) -> str:
    """Return the last line of a container's log with an error; empty if there is none."""
    request = f"/containers/{identifier}/logs?stdout=1&stderr=1&tail={LINES}"
    try:
        content = engine_api.get(socket, request) or b""
    except engine_api.EngineError:
        return ""
    return error_line(text_of(content).splitlines())


def error_line(lines: Iterable[str]) -> str:
    """Return the last line with an error, without lines of stack traces; empty if there is none."""
    plain = [COLOUR.sub("", line) for line in lines]
    errors = [line for line in plain if ERROR.search(line) and not TRACE.match(line)]
    line = printable_line(errors[-1].strip()) if errors else ""
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."


def text_of(content: bytes) -> str:
    """Return the text in a response of the engine's log.

    Without a terminal each part has a header: stream, three zeros and its length (4 bytes).
    """
    parts, at = [], 0
    while (
        len(content) - at >= 8
        and content[at] in (0, 1, 2)
        and content[at + 1 : at + 4] == b"\0" * 3
    ):
        (length,) = struct.unpack(">I", content[at + 4 : at + 8])
        parts.append(content[at + 8 : at + 8 + length])
        at += 8 + length
    return b"".join([*parts, content[at:]]).decode("utf-8", "replace")
