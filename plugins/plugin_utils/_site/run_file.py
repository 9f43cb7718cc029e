# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a run computes once, although each of its tasks runs in a process of its own.

The first process that asks writes the answer to a file of the run, the others read that. The folder
is the one which Ansible makes for each run, for its owner alone, and removes at the end.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class CycleError(Exception):
    """Something needs itself; the message is its path."""


# Names that this process is computing, the outermost first.
_under_way: list[str] = []


class RunFile:
    """Answers by name, in ``folder``; answers are what JSON can hold, and no secrets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """The answer of ``compute``, computed once in a run; raises CycleError."""
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        file = self._folder / f"kafka-metal-{digest}.json"
        if file.exists():
            return json.loads(file.read_text(encoding="utf-8"))
        if name in _under_way:
            raise CycleError(" needs ".join([*_under_way, name]))
        with self._lock():
            # Another process was faster.
            if not file.exists():
                _under_way.append(name)
                try:
                    text = json.dumps(compute())
                finally:
                    _under_way.pop()
                made = file.with_suffix(f".{os.getpid()}")
                made.touch(mode=0o600)
                made.write_text(text, encoding="utf-8")
                made.replace(file)
        return json.loads(file.read_text(encoding="utf-8"))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One process computes at a time, with all that it needs for that."""
        if _under_way:
            yield
            return
        with (self._folder / "kafka-metal.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
