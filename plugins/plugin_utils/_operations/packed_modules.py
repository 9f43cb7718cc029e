# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Modules packed with their imports, as Ansible sends them to machines, kept between runs.

Ansible packs each module that a run uses with everything that it imports: 0.1 s for each module. A
packed module is the same in each run, so it is kept. Ansible reads packed modules from a directory
of each run. If a later Ansible no longer does, nothing is reused and everything else works.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ansible.release import __version__

# Not resolved: a link to this file can be next to other modules.
PLUGINS = Path(__file__).parents[2]
# Of the collection, and of Ansible itself. Those of other collections can change unnoticed.
KEPT = ("ansible_collections.metal.kafka.", "ansible.modules.")
# The directory in a run's temporary one that Ansible reads (executor/module_common.py).
OF_RUN = "ansiballz_cache"


def default_folder() -> Path:
    """Where packed modules of this user are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "kafka-metal/modules"


class PackedModules:
    """The kept modules of one state of the sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = folder / _digest_of_sources()

    def use(self, temporary: Path) -> None:
        """Give a run the kept modules; ``temporary`` is its directory for temporary files."""
        run = temporary / OF_RUN
        with contextlib.suppress(OSError):
            self.own.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not all(map(_is_private, (self.folder, self.own))):
                return
            os.utime(self.own)
            run.mkdir(exist_ok=True)
            for path, name, digest in self._kept():
                # A damaged file is packed again.
                if hashlib.sha256(path.read_bytes()).hexdigest() == digest:
                    (run / name).symlink_to(path)

    def keep(self, temporary: Path) -> None:
        """Keep what a run has packed, and delete what belongs to earlier sources."""
        with contextlib.suppress(OSError):
            if not all(map(_is_private, (self.folder, self.own))):
                return
            for path in (temporary / OF_RUN).iterdir():
                packed = path.name.startswith(KEPT) and not path.name.endswith((".lock", "-part"))
                if packed and not path.is_symlink():
                    self._add(path)
            # Branches and clones of a repository take turns.
            for path in sorted(self.folder.iterdir(), key=os.path.getmtime)[:-5]:
                shutil.rmtree(path)

    def _kept(self) -> Iterator[tuple[Path, str, str]]:
        for path in self.own.iterdir():
            name, separator, digest = path.name.rpartition("@")
            if separator:
                yield path, name, digest

    def _add(self, path: Path) -> None:
        content = path.read_bytes()
        added = self.own / f"{path.name}@{hashlib.sha256(content).hexdigest()}"
        with tempfile.NamedTemporaryFile(dir=self.own, delete=False) as file:
            file.write(content)
        Path(file.name).rename(added)


def _digest_of_sources() -> str:
    """Digest of everything that packed modules depend on."""
    sources = []
    for name in ("modules", "module_utils"):
        for folder, _, files in os.walk(PLUGINS / name, followlinks=True):
            for path in (Path(folder, file) for file in files if file.endswith(".py")):
                found = path.stat()
                sources.append((str(path), found.st_size, found.st_mtime_ns))
    return hashlib.sha256(repr((__version__, sorted(sources))).encode()).hexdigest()


def _is_private(folder: Path) -> bool:
    """Whether no other user can have written to the directory: its files become code."""
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
