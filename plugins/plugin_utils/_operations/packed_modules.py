# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Modules packed with their imports, as Ansible sends them to machines, kept between runs.

Ansible packs each module that a run uses with everything that it imports: 0.2 s each time. On the
machine, Python compiles all of it again for every task: another 0.2 s. A packed module is the same
in each run, so it is kept, with compiled code for the Python of this machine. A machine with
another version of Python ignores that code and compiles the source, as without this.

Ansible reads packed modules from a directory of each run; it has one name for each module. If a
later Ansible no longer does, nothing is reused and everything else works.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ansible.release import __version__

# Not resolved: a link to this file can be next to other modules.
PLUGINS = Path(__file__).parents[2]
# Of the collection, and of Ansible itself. Those of other collections can change unnoticed.
KEPT = ("ansible_collections.metal.kafka.", "ansible.modules.")
# The directory in a run's temporary one that Ansible reads (executor/module_common.py).
OF_RUN = "ansiballz_cache"
# Adds the compiled code of each source to the zip files in its arguments. The code has an unchecked
# hash, because times in zip files have a precision of two seconds.
COMPILE = """
import functools, os, py_compile, sys, tempfile, zipfile

unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH

with tempfile.TemporaryDirectory() as folder:
    @functools.lru_cache(None)
    def compiled(name, content):
        source, code = os.path.join(folder, "source.py"), os.path.join(folder, "code.pyc")
        with open(source, "wb") as file:
            file.write(content)
        py_compile.compile(source, code, name, True, invalidation_mode=unchecked)
        with open(code, "rb") as file:
            return file.read()

    for path in sys.argv[1:]:
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
            for name in packed.namelist():
                if name.endswith(".py"):
                    packed.writestr(name + "c", compiled(name, packed.read(name)))
"""


def default_folder() -> Path:
    """Where packed modules of this user are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "kafka-metal/modules"


class PackedModules:
    """The kept modules of one state of the sources."""

    def __init__(self, folder: Path, interpreter: str) -> None:
        self.folder = folder
        self.interpreter = interpreter
        self.own = folder / _digest_of_sources(interpreter)

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
        with contextlib.suppress(OSError, ImportError, subprocess.SubprocessError):
            if not all(map(_is_private, (self.folder, self.own))):
                return
            new = [
                path
                for path in (temporary / OF_RUN).iterdir()
                if path.name.startswith(KEPT)
                and not path.name.endswith((".lock", "-part"))
                and not path.is_symlink()
            ]
            if new:
                self._add(new)
            # Branches and clones of a repository take turns.
            for path in sorted(self.folder.iterdir(), key=os.path.getmtime)[:-5]:
                shutil.rmtree(path)

    def _kept(self) -> Iterator[tuple[Path, str, str]]:
        for path in self.own.iterdir():
            name, separator, digest = path.name.rpartition("@")
            if separator:
                yield path, name, digest

    def _add(self, paths: Sequence[Path]) -> None:
        from ansible.executor.module_common import _CachedModule

        with tempfile.TemporaryDirectory(dir=self.own) as name:
            folder = Path(name)
            modules = {path.name: _CachedModule.load(str(path)) for path in paths}
            for name, module in modules.items():
                (folder / name).write_bytes(base64.b64decode(module.zip_data))
            archives = [str(folder / name) for name in modules]
            command = [self.interpreter, "-I", "-c", COMPILE, *archives]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
            for name, module in modules.items():
                path = folder / name
                with_code = replace(module, zip_data=base64.b64encode(path.read_bytes()))
                with_code.dump(str(path))
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                path.rename(self.own / f"{name}@{digest}")


def _digest_of_sources(interpreter: str) -> str:
    """Digest of everything that packed modules depend on."""
    sources = []
    for name in ("modules", "module_utils"):
        for folder, _, files in os.walk(PLUGINS / name, followlinks=True):
            for path in (Path(folder, file) for file in files if file.endswith(".py")):
                found = path.stat()
                sources.append((str(path), found.st_size, found.st_mtime_ns))
    inputs = (__version__, os.path.realpath(interpreter), COMPILE, sorted(sources))
    return hashlib.sha256(repr(inputs).encode()).hexdigest()


def _is_private(folder: Path) -> bool:
    """Whether no other user can have written to the directory: its files become code."""
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
