# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values that are computed once per run, although each task runs in its own process.

The first process that needs a value computes all values and writes a file for each; the other
processes read the files. Ansible creates the folder for each run, accessible only to its owner, and
removes it at the end.
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
    """A value depends on itself; the message is the path of the cycle."""


class _Computing:
    """Values that this process computes: names in progress, the outermost first, and results."""

    def __init__(self, compute: Compute) -> None:
        self._compute, self._in_progress = compute, list[str]()
        self._done: dict[str, Any] = {}

    def value(self, name: str) -> Any:
        """Compute one value, which may need others."""
        if name in self._in_progress:
            raise CycleError(" needs ".join([*self._in_progress, name]))
        if name not in self._done:
            self._in_progress.append(name)
            try:
                self._done[name] = self._compute(name)
            finally:
                self._in_progress.pop()
        return self._done[name]


# A template that is evaluated during the computation may read one of the values.
_computing: dict[str, _Computing] = {}


class RunFile:
    """Values by name, in files of ``folder``; they must be JSON, and no secrets.

    ``about`` distinguishes several sets of values of one run.
    """

    def __init__(self, folder: Path, about: str) -> None:
        self._folder, self._about = folder, about

    def value(self, name: str, names: Collection[str], begin: Callable[[], Compute]) -> Any:
        """Value of ``name``; ``begin`` returns the function that computes ``names``.

        Raises CycleError.
        """
        if self._about in _computing:
            return _computing[self._about].value(name)
        file = self._file(name)
        if not file.exists():
            with self._file("lock").with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                # Another process may have computed it meanwhile.
                if not file.exists():
                    self._compute_all(names, begin())
        return json.loads(file.read_text(encoding="utf-8"))

    def _compute_all(self, names: Collection[str], compute: Compute) -> None:
        computing = _computing[self._about] = _Computing(compute)
        try:
            texts = {name: json.dumps(computing.value(name)) for name in names}
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
