# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a run computes once, although each of its tasks runs in a process of its own.

The first process that asks computes all answers and writes a file of the run for each, the others
read those. The folder is the one which Ansible makes for each run, for its owner alone, and removes
at the end.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

Compute = Callable[[str], Any]


class CycleError(Exception):
    """Something needs itself; the message is its path."""


class _Computing:
    """What this process is computing: names under way, the outermost first, and what is done."""

    def __init__(self, compute: Compute) -> None:
        self._compute, self._under_way = compute, list[str]()
        self._done: dict[str, Any] = {}

    def answer(self, name: str) -> Any:
        """One answer, which may need others."""
        if name in self._under_way:
            raise CycleError(" needs ".join([*self._under_way, name]))
        if name not in self._done:
            self._under_way.append(name)
            try:
                self._done[name] = self._compute(name)
            finally:
                self._under_way.pop()
        return self._done[name]


# A template that is read while answers are computed can ask for one of them.
_computing: dict[str, _Computing] = {}


class RunFile:
    """Answers by name, in ``folder``; answers are what JSON can hold, and no secrets.

    ``about`` tells several sets of answers of one run apart.
    """

    def __init__(self, folder: Path, about: str) -> None:
        self._folder, self._about = folder, about

    def answer(self, name: str, names: Collection[str], begin: Callable[[], Compute]) -> Any:
        """One of ``names``; ``begin`` gives what computes each of them. Raises CycleError."""
        if self._about in _computing:
            return _computing[self._about].answer(name)
        file = self._file(name)
        if not file.exists():
            with self._file("lock").with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                # Another process may have been faster.
                if not file.exists():
                    self._compute_all(names, begin())
        return json.loads(file.read_text(encoding="utf-8"))

    def _compute_all(self, names: Collection[str], compute: Compute) -> None:
        computing = _computing[self._about] = _Computing(compute)
        try:
            texts = {name: json.dumps(computing.answer(name)) for name in names}
        finally:
            del _computing[self._about]
        for name, text in texts.items():
            made = self._file(name).with_suffix(f".{os.getpid()}")
            made.touch(mode=0o600)
            made.write_text(text, encoding="utf-8")
            made.replace(self._file(name))

    def _file(self, name: str) -> Path:
        digest = hashlib.sha256(f"{self._about} {name}".encode()).hexdigest()[:16]
        return self._folder / f"kafka-metal-{digest}.json"
