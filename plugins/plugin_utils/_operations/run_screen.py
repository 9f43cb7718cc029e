# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The terminal of a run: permanent lines, and below them one line that is replaced.

Without a terminal, the replaced line is printed if nothing else was for some time.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...module_utils._problems.messages import printable_line

# Seconds between two drawings of the line, and between two looks at the clock without a terminal.
DRAW_S = 0.5
ERASE = "\r\x1b[K"
# Without line wrap, a character of unexpected width cannot move the text to the next row.
NO_WRAP, WRAP = "\x1b[?7l", "\x1b[?7h"


@dataclass(frozen=True)
class State:
    """What the replaced line displays; ``total`` is 0 if the amount is unknown."""

    elapsed: str
    text: str
    done: float = 0
    total: float = 0


def terminal_row(colours: bool) -> Callable[[State], str] | None:
    """Return a function that draws a state in one row; None without a terminal or without rich."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return None
    try:
        from rich.console import Console
        from rich.progress_bar import ProgressBar
        from rich.text import Text
    except ImportError:
        return None
    # sys.stdout is looked up at each use: it may be replaced in tests.
    console = Console(force_terminal=True, no_color=not colours, highlight=False)

    def row(state: State) -> str:
        # The last column stays empty: some terminals wrap a line that fills it.
        left = console.width - len(state.elapsed) - 2
        bar = None
        if state.total > 0:
            size = 20 if console.width > 70 else 6
            bar = ProgressBar(total=state.total, completed=state.done, width=size)
            left -= size + 1
        text = Text(state.text)
        text.truncate(max(left, 1), overflow="ellipsis")
        with console.capture() as drawn:
            console.print(Text(state.elapsed), end=" ")
            if bar:
                console.print(bar, end=" ")
            console.print(text, end="", no_wrap=True, overflow="ignore", crop=False)
        return drawn.get().replace("\n", " ")

    return row


class Screen:
    """Prints lines of the run's main process and of its threads, one at a time."""

    def __init__(
        self, show: Callable[..., None], state: Callable[[], State], colours: bool
    ) -> None:
        """Print lines with ``show``, which is ``Display.display``; ``state`` is the current one."""
        self._show, self._state = show, state
        self._row = terminal_row(colours)
        # Reentrant: a signal may interrupt the main thread while it prints.
        self._lock = threading.RLock()
        self._end = threading.Event()
        self._drawn = False
        self._printed = time.monotonic()
        # Number of printed lines.
        self.lines = 0

    def start(self, interval: float) -> None:
        """Draw from now on; without a terminal print the state after ``interval`` seconds."""

        def run() -> None:
            while not self._end.wait(min(DRAW_S, interval / 2)):
                # The reader of the output may be gone.
                with suppress(OSError, ValueError):
                    self._tick(interval)

        threading.Thread(target=run, name="progress", daemon=True).start()

    def _tick(self, interval: float) -> None:
        with self._lock:
            if self._end.is_set():
                return
            if self._row:
                self._draw()
            elif time.monotonic() - self._printed >= interval:
                state = self._state()
                self.show(printable_line(f"{state.elapsed:>5}  {state.text}"))

    def show(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Print permanent lines; arguments are those of ``Display.display``."""
        with self._lock:
            self._erase()
            self._show(msg, *arguments, **options)
            self.lines += msg.rstrip("\n").count("\n") + 1
            self._printed = time.monotonic()
            # The output of a run in a pipe is read while it runs.
            with suppress(OSError):
                sys.stdout.flush()
            if self._row and not self._end.is_set():
                self._draw()

    def close(self) -> None:
        """Erase the replaced line, and draw no other one."""
        self._end.set()
        with self._lock, suppress(OSError, ValueError):
            self._erase()
            sys.stdout.flush()

    def _erase(self) -> None:
        if self._drawn:
            sys.stdout.write(ERASE)
            self._drawn = False

    def _draw(self) -> None:
        if self._row is None:
            return
        state = self._state()
        text = self._row(State(state.elapsed, printable_line(state.text), state.done, state.total))
        sys.stdout.write(f"{ERASE}{NO_WRAP}{text}{WRAP}")
        sys.stdout.flush()
        self._drawn = True
