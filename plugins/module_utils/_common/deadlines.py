# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting that ends: questions asked side by side, each answered or given up by a deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Deadline:
    """A moment in the future, ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self.seconds = seconds
        self.moment = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then, never negative."""
        return max(0.0, self.moment - time.monotonic())

    def passed(self) -> bool:
        """Whether it is over."""
        return self.left() == 0.0


def side_by_side(questions: Mapping[Key, Callable[[], Any]], deadline: Deadline) -> dict[Key, Any]:
    """The answer to each question; an exception where one was raised or time ran out.

    The threads are daemons: one that hangs in a system call does not keep the program alive.
    """
    answers: dict[Key, Any] = {}

    def ask(key: Key, question: Callable[[], Any]) -> None:
        try:
            answers[key] = question()
        except Exception as error:
            answers[key] = error

    threads = {
        key: threading.Thread(target=ask, args=(key, question), daemon=True)
        for key, question in questions.items()
    }
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join(deadline.left())
    late = TimeoutError(f"no answer within {deadline.seconds:g} s")
    # A copy: a thread that was given up may still write its answer.
    found = dict(answers)
    return {key: found.get(key, late) for key in threads}


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
