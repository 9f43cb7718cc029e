# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Many questions at once, within a bounded time: some of those asked may never answer."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any


def ask_all(
    items: Iterable[Any], ask: Callable[[Any], Any], seconds: float, width: int = 64
) -> dict[Any, Any]:
    """What ``ask`` returned by item, of those that had answered after ``seconds``.

    ``ask`` must not raise. Threads that still wait are left to end with the process: a resolver
    cannot be interrupted.
    """
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    wanted = list(dict.fromkeys(items))
    for item in wanted:
        waiting.put(item)

    def work() -> None:
        while True:
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            answers.put((item, ask(item)))

    for _ in range(min(width, len(wanted))):
        threading.Thread(target=work, daemon=True).start()
    found: dict[Any, Any] = {}
    end = time.monotonic() + seconds
    while len(found) < len(wanted):
        try:
            item, answer = answers.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        found[item] = answer
    return found
