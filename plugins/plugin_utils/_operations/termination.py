# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""An action of a process before SIGTERM ends it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def before_termination(action: Callable[[], None]) -> None:
    """Call ``action`` at SIGTERM, and then the handler that is installed now."""
    before = signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN:
        return

    def stop(number: int, frame: Any) -> None:
        # It may interrupt a line that is being written.
        with suppress(OSError, RuntimeError):
            action()
        if callable(before):
            before(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    signal.signal(signal.SIGTERM, stop)
