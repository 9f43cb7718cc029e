"""Progress of a long step on standard error: a redrawn line on a terminal, else periodic lines."""

import math
import sys
import time
from collections.abc import Callable
from typing import TextIO

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 5.0


class Progress:
    """Prints the text of ``describe`` at most once per interval, and only then computes it."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``stream`` defaults to standard error; on a terminal one line is redrawn."""
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._terminal = self._stream.isatty()
        self._interval = TERMINAL_SECONDS if self._terminal else LOG_SECONDS
        self._next = clock() + self._interval
        self._width = 0

    def show(self, describe: Callable[[], str]) -> None:
        """Print the result of ``describe`` if the interval is over."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + self._interval
        text = describe()
        if self._terminal:
            self._write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._write(text + "\n")

    def close(self) -> None:
        """Clear the redrawn line, so that the next output starts on an empty line."""
        if self._terminal and self._width:
            self._write("\r" + " " * self._width + "\r")

    def _write(self, text: str) -> None:
        """Write at once; a reader that is gone must not end the step before its result."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._next = math.inf
