# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Run calls in parallel; those without a result at the deadline are abandoned."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Deadline:
    """A point in time, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self.seconds = seconds
        self.moment = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.moment - time.monotonic())

    def passed(self) -> bool:
        """Whether the deadline is over."""
        return self.left() == 0.0


def run_in_parallel(calls: Mapping[Key, Callable[[], Any]], deadline: Deadline) -> dict[Key, Any]:
    """Run all calls in parallel; return each result, or its exception or a TimeoutError.

    The threads are daemons: one that hangs in a system call does not keep the process alive.
    """
    results: dict[Key, Any] = {}

    def run(key: Key, call: Callable[[], Any]) -> None:
        try:
            results[key] = call()
        except Exception as error:
            results[key] = error

    threads = {
        key: threading.Thread(target=run, args=(key, call), daemon=True)
        for key, call in calls.items()
    }
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join(deadline.left())
    late = TimeoutError(f"no response within {deadline.seconds:g} s")
    # A copy: an abandoned thread may still write its result.
    found = dict(results)
    return {key: found.get(key, late) for key in threads}


def query_all(
    items: Iterable[Any], query: Callable[[Any], Any], seconds: float, width: int = 64
) -> dict[Any, Any]:
    """Call ``query`` for all items in parallel; return the results available after ``seconds``.

    ``query`` must not raise. Threads that still wait end with the process: a resolver cannot be
    interrupted. ``width`` is the largest number of threads.
    """
    pending: queue.SimpleQueue[Any] = queue.SimpleQueue()
    results: queue.SimpleQueue[Any] = queue.SimpleQueue()
    unique = list(dict.fromkeys(items))
    for item in unique:
        pending.put(item)

    def work() -> None:
        while True:
            try:
                item = pending.get_nowait()
            except queue.Empty:
                return
            results.put((item, query(item)))

    for _ in range(min(width, len(unique))):
        threading.Thread(target=work, daemon=True).start()
    found: dict[Any, Any] = {}
    end = time.monotonic() + seconds
    while len(found) < len(unique):
        try:
            item, result = results.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        found[item] = result
    return found
