# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Move of a cluster's state from the directories of earlier versions, once and without data loss.

Each file is copied, synced to disk and verified before the old directory is renamed to
``<cluster>.moved``. Existing new files stay; two different stores are refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from ansible.errors import AnsibleError

from .state_directory import CLUSTER, STORE, earlier_directories

OURS = "# Written by kafka-metal."
IGNORED = f"""\
{OURS} The store is encrypted and may be committed; the rest belongs to this machine.
*
!.gitignore
!store.vault
"""
# Files of clients that contain absolute paths of their keys.
WITH_PATHS = ("client.conf", "client.properties")
HELP = "docs/operate/guides/secret-store.md"


def migrate_state(
    place: Path, cluster: str, *, secrets: bool = True, dry: bool = False
) -> list[str]:
    """Create the directory, move older state into it, and return a message for each move.

    ``secrets`` is False if the site declares the path of its store. Raises AnsibleError if two
    stores differ, or if a file cannot be written; then nothing was renamed.
    """
    before = earlier_directories(cluster)
    found = [each for each in ((before.secrets if secrets else None), before.cache) if each]
    moves = [each for each in found if each.is_dir() and each != place]
    _refuse_foreign(place, cluster)
    try:
        if dry:
            for each in moves:
                _refuse_two_stores(each, place)
        else:
            _make(place, cluster)
            with _locked(place):
                moves = [each for each in moves if each.is_dir()]
                for each in moves:
                    _refuse_two_stores(each, place)
                for each in moves:
                    _copy(each, place)
                    _retire(each)
    except OSError as error:
        raise AnsibleError(
            f"state of cluster {cluster}: {error.filename}: {error.strerror}; required: space and "
            f"write permission in {place}; the old directories are unchanged"
        ) from error
    return [f"state of cluster {cluster}: {each} is moved to {place}" for each in moves]


def _refuse_foreign(place: Path, cluster: str) -> None:
    """Raise AnsibleError if the directory has other files, or the state of another cluster."""
    if not place.is_dir():
        return
    files = {each.name for each in place.iterdir()}
    ignored = place / ".gitignore"
    ours = ignored.is_file() and ignored.read_text(encoding="utf-8").startswith(OURS)
    if files and not ours and STORE not in files:
        raise AnsibleError(
            f"kafka_metal_state: found {place} with other files, such as "
            f"{min(files)}; allowed: a new or empty directory. Nothing was touched"
        )
    marker = place / CLUSTER
    owner = marker.read_text(encoding="utf-8").strip() if marker.is_file() else cluster
    if owner != cluster:
        raise AnsibleError(
            f"kafka_metal_state: found the state of cluster {owner!r} in {place}; allowed: a "
            f"directory for each cluster, such as .../{{{{ cluster_name }}}}. Nothing was touched"
        )


def _make(place: Path, cluster: str) -> None:
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in ((".gitignore", IGNORED), (CLUSTER, f"{cluster}\n")):
        if not (place / name).exists():
            (place / name).write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Lock the directory against other runs that move the same state."""
    handle = os.open(place / ".move.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _refuse_two_stores(source: Path, place: Path) -> None:
    ours, theirs = place / STORE, source / STORE
    if ours.exists() and theirs.exists() and ours.read_bytes() != theirs.read_bytes():
        raise AnsibleError(
            f"two different stores of keys: {theirs} (from an earlier version) and "
            f"{ours}; required: one of them. Keep the one whose passwords (`ansible-vault view`) "
            f"the cluster accepts, and move the other away. Nothing was touched; see {HELP}"
        )


def _copy(source: Path, place: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.name.endswith(".lock"):
            continue
        target = place / path.relative_to(source)
        if path.is_symlink():
            if not target.is_symlink() and not target.exists():
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                target.symlink_to(path.resolve())
        elif path.is_dir():
            target.mkdir(mode=path.stat().st_mode & 0o777, parents=True, exist_ok=True)
        elif not target.exists():
            data = path.read_bytes()
            if path.name in WITH_PATHS:
                data = data.replace(f"{source}/".encode(), f"{place}/".encode())
            _put(target, data, path.stat().st_mode & 0o777)


def _put(path: Path, data: bytes, mode: int) -> None:
    """Write a file atomically, sync it to disk and verify it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    if temporary.read_bytes() != data:
        raise OSError(5, "the written file has other content", str(temporary))
    temporary.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _retire(source: Path) -> None:
    """Rename the copied directory; renamed back, an earlier version can use it again."""
    number, kept = 1, source.with_name(f"{source.name}.moved")
    while kept.exists():
        number += 1
        kept = source.with_name(f"{source.name}.moved{number}")
    # Without permission it keeps its name: the copy is complete and takes precedence.
    with contextlib.suppress(PermissionError):
        source.rename(kept)
