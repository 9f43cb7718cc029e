# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The last error in the log of a container.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .._host import engine_api
from .._problems.messages import printable_line
from . import container_state
from .support.redaction import redact

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
    try:
        return error_line(container_state.read_log_tail(identifier, LINES, path=socket))
    except engine_api.EngineError:
        return ""


def error_line(lines: Iterable[str]) -> str:
    """Return the last line with an error, without lines of stack traces; empty if there is none."""
    plain = [COLOUR.sub("", line) for line in lines]
    errors = [line for line in plain if ERROR.search(line) and not TRACE.match(line)]
    # A log may have the value of a setting that is wrong, such as a password.
    line = printable_line(redact(errors[-1].strip())) if errors else ""
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
