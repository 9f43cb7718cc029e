# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The output of Ansible in a file, for verbs that display only an answer."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any, TextIO

COLOUR = re.compile(r"\x1b\[[\d;]*m")


class RunLog:
    """Lines of one run. They wait in memory until the state directory is there."""

    def __init__(self) -> None:
        """Nothing is written, and nothing displayed."""
        # How lines are displayed as well: arguments of ``Display.display``; None for not at all.
        self.displayed: dict[str, Any] | None = None
        self.path: Path | None = None
        self._waiting: list[str] = []
        self._file: TextIO | None = None

    def open(self, path: Path) -> None:
        """Write to ``path`` from now on, instead of the log of an earlier run."""
        try:
            self._file = path.open("w", encoding="utf-8", errors="replace")
        except OSError:
            # Another user's: the run needs no log.
            return
        self.path = path
        for line in self._waiting:
            self.write(line)
        self._waiting.clear()

    def write(self, text: str) -> None:
        """A line, or several, without colours."""
        if self._file is None:
            self._waiting.append(text)
            return
        # A run that is killed has its lines, too.
        print(COLOUR.sub("", text.rstrip("\n")), file=self._file, flush=True)

    def display_of(self, display: Any) -> Any:
        """Ansible's ``Display`` that writes here, and displays while ``displayed``."""
        logging = copy.copy(display)

        def write(msg: str, *arguments: Any, **options: Any) -> None:
            if not options.get("screen_only"):
                self.write(msg)
            if self.displayed is not None:
                display.display(msg, *arguments, **{**options, **self.displayed})

        # Of this one alone: warnings, errors and banners of a callback end here as well.
        logging.display = write
        return logging
