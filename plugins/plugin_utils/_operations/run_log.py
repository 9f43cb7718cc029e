# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Ansible's output in a log file, for callbacks that display only a part of it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from ...module_utils._problems.messages import printable_line

COLOUR = re.compile(r"\x1b\[[\d;]*m")


def printable_text(text: str) -> str:
    """Return ``text`` without control characters, apart from line ends and tabs.

    Output of tasks may move the cursor of a terminal that displays the log.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(printable_line, line.split("\t"))) for line in lines)


class RunLog:
    """Log of one run. Lines stay in memory until the state directory exists."""

    def __init__(self) -> None:
        """Start without a file, and without display."""
        # Arguments of ``Display.display`` for lines that are also displayed; None: no display.
        self.displayed: dict[str, Any] | None = None
        self.path: Path | None = None
        # Why lines are missing in the file; empty if it is complete.
        self.error = ""
        self._waiting: list[str] = []
        self._file: TextIO | None = None

    def open(self, path: Path) -> None:
        """Write to ``path`` from now on, and replace the log of an earlier run."""
        try:
            self._file = path.open("w", encoding="utf-8", errors="replace")
        except OSError:
            # The file belongs to another user; the run can continue without a log.
            return
        self.path = path
        for line in self._waiting:
            self.write(line)
        self._waiting.clear()

    def write(self, text: str) -> None:
        """Write one or several lines, without colours.

        A full disk does not end the run: an error in a thread of Ansible's would block it.
        """
        if self.error:
            return
        if self._file is None:
            self._waiting.append(text)
            return
        try:
            self._file.write(printable_text(COLOUR.sub("", text.rstrip("\n"))) + "\n")
            # The log of a killed run is complete.
            self._file.flush()
        except OSError as error:
            self.error = error.strerror or str(error)

    def last_line(self) -> str:
        """Return the last line of a run's output: the path of the log; empty without a log."""
        incomplete = f", incomplete: {self.error}" if self.error else ""
        return printable_line(f"All tasks: {self.path}{incomplete}") if self.path else ""

    def display_of(self, display: Any, show: Callable[..., None] | None = None) -> Any:
        """Return a ``Display`` that writes to this log, and displays while ``displayed`` is set.

        ``show`` displays in place of ``display.display``.
        """
        logging = copy.copy(display)
        show = show or display.display

        def write(msg: str, *arguments: Any, **options: Any) -> None:
            if not options.get("screen_only"):
                self.write(msg)
            if self.displayed is not None:
                show(msg, *arguments, **{**options, **self.displayed})

        # Replaced in the copy only; a callback's warnings, errors and banners use it too.
        logging.display = write
        return logging
