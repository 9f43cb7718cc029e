"""Progress of a long step on standard error: one line redrawn, or a line now and then in a log."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 5.0


class Progress:
    """Shows the text of ``describe`` at most every so often; the text is only made when shown."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``stream`` defaults to standard error; a terminal gets one line that is redrawn."""
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._terminal = self._stream.isatty()
        self._interval = TERMINAL_SECONDS if self._terminal else LOG_SECONDS
        self._next = clock() + self._interval
        self._width = 0

    def show(self, describe: Callable[[], str]) -> None:
        """Print what ``describe`` says when it is time to."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + self._interval
        text = describe()
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Take the redrawn line away, so that a summary starts on an empty one."""
        if self._terminal and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
