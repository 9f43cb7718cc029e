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
from pathlib import Path

from ansible import constants
from ansible.plugins.loader import module_utils_loader
from ansible.release import __version__

# Not resolved: a link to this file can be next to other modules.
PLUGINS = Path(__file__).parents[2]
# Of the collection, and of Ansible itself. Those of other collections can change unnoticed.
KEPT = ("ansible_collections.metal.kafka.", "ansible.modules.")
# The directory in a run's temporary one that Ansible reads (executor/module_common.py).
OF_RUN = "ansiballz_cache"
# Endings of files there that are locks or incomplete.
UNFINISHED = (".lock", "-part")
# States of the sources whose modules are kept: branches and clones of a repository take turns.
STATES = 5
# Bytes of the digest at the start of each kept file: without it, the file is damaged.
DIGEST = hashlib.sha256().digest_size
# Rights of others to write.
OTHERS = stat.S_IWGRP | stat.S_IWOTH


def default_folder() -> Path:
    """Where packed modules of this user are kept."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification ignores relative paths.
    return Path(cache if os.path.isabs(cache) else os.path.expanduser("~/.cache")).joinpath(
        "kafka-metal/modules"
    )


class PackedModules:
    """The kept modules of the present state of the sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = ""
        self.times: tuple[int, ...] = ()
        self.used: set[str] = set()

    def use(self, temporary: Path) -> None:
        """Give a run the kept modules; ``temporary`` is its directory for temporary files."""
        run = temporary / OF_RUN
        with contextlib.suppress(OSError):
            self.sources, self.times = _read_sources()
            own = _private_directory(self.folder / self.sources)
            os.utime(own)
            run.mkdir(exist_ok=True)
            for path in own.iterdir():
                content = path.read_bytes()
                if content[:DIGEST] == hashlib.sha256(content[DIGEST:]).digest():
                    self.used.add(path.name)
                    # Renamed when it is complete, as Ansible does.
                    part = run / f"{path.name}-part"
                    part.write_bytes(content[DIGEST:])
                    part.rename(run / path.name)

    def keep(self, temporary: Path) -> None:
        """Keep what a run has packed, and delete what belongs to earlier sources."""
        with contextlib.suppress(OSError):
            # Of which sources is unknown if they have changed since the start, even if they have
            # changed back, such as by two checkouts.
            if _read_sources() != (self.sources, self.times):
                return
            own = _private_directory(self.folder / self.sources)
            for path in (temporary / OF_RUN).iterdir():
                packed = path.name.startswith(KEPT) and not path.name.endswith(UNFINISHED)
                if packed and path.name not in self.used:
                    content = path.read_bytes()
                    # Another run may write it at the same time. A mixture has another digest.
                    (own / path.name).write_bytes(hashlib.sha256(content).digest() + content)
            states = filter(Path.is_dir, self.folder.iterdir())
            for path in sorted(states, key=os.path.getmtime)[:-STATES]:
                shutil.rmtree(path)


def _read_sources() -> tuple[str, tuple[int, ...]]:
    """Return a digest of everything that packed modules depend on, and its modification times.

    The digest has no times: a copy may have the modification time of its source, and a hard link to
    a file, such as of a package in another environment, changes the file's ctime.
    """
    # With directories of a site for ansible.module_utils, which precede those of Ansible.
    libraries = module_utils_loader.print_paths().split(os.pathsep)
    own = PLUGINS / "modules", PLUGINS / "module_utils"
    found = []
    for tree in (*own, Path(constants.__file__).parent / "modules", *libraries):
        for folder, _, files in os.walk(tree, followlinks=True):
            for path in (Path(folder, file) for file in files if file.endswith(".py")):
                # Before the content: a change between the two is seen by the next time.
                time = path.stat().st_mtime_ns
                found.append((str(path), hashlib.sha256(path.read_bytes()).digest(), time))
    found.sort()
    sources = [(path, digest) for path, digest, _ in found]
    digest = hashlib.sha256(repr((__version__, sources)).encode()).hexdigest()
    return digest, tuple(time for _, _, time in found)


def _private_directory(path: Path) -> Path:
    """Create a directory whose files become code: OSError if other users could replace them."""
    if not path.is_absolute():
        raise NotADirectoryError(f"{path}: this user has no home")
    for each in reversed((path, *path.parents)):
        each.mkdir(mode=0o700, exist_ok=True)
    # Links in the path may be replaced later.
    found = path.resolve()
    of_others = found.stat().st_mode & OTHERS or found.stat().st_uid != os.geteuid()
    if of_others or any(map(_replaceable, found.parents)):
        raise PermissionError(f"other users may write to {path}")
    return found


def _replaceable(folder: Path) -> bool:
    """Whether other users may replace entries of a directory that belong to this user."""
    found = folder.stat()
    # In /tmp, for example, users may replace only their own entries.
    sticky = found.st_mode & stat.S_ISVTX
    return found.st_uid not in (0, os.geteuid()) or bool(found.st_mode & OTHERS and not sticky)
