# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Directories whose content gets another owner: that of a service, or the group of several.

Module service_files calls this: for a service's own directories while its container is stopped.
The directory itself changes last. An interrupted change goes on in the next run, and a finished one
is known by looking at the directory alone.

Services and members of a group write in and beside these directories, root changes them: no link is
followed but one that root has made, and a directory is opened once and changed by its handle.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from .data_ownership import MARKER

# Read, write, enter, and hand the group on to what is made inside.
GROUP_WRITES = stat.S_ISGID | stat.S_IRWXG
SHARED_MODE = 0o2770
# More links behind each other than a person makes.
MOST_LINKS = 8


def planted_links(paths: Iterable[str]) -> list[str]:
    """A sentence for each of ``paths`` that is a link and was not made by root."""
    places = {path: _place(path) for path in paths}
    return [
        f"{path}: found a link to {os.readlink(place)} that user {os.lstat(place).st_uid} made; "
        "allowed: a directory, or a link that belongs to root"
        for path, place in places.items()
        if os.path.islink(place)
    ]


def of_another_user(paths: Iterable[str], uid: int) -> list[str]:
    """Those of ``paths`` that are there and belong to another user."""
    return [path for path in paths if os.path.isdir(path) and os.stat(path).st_uid != uid]


def hand_over(path: str, uid: int, gid: int) -> int:
    """Give a directory and everything in it that is not root's to a user; how many were another's.

    Nothing may write there meanwhile. Raises OSError where something cannot be read or given, and
    leaves the directory itself as it was.
    """
    changed = 0
    with _opened(path) as top:
        for _, folders, files, handle in _walk(top):
            for name in (*folders, *files):
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
                if found.st_uid not in (0, uid) and name != MARKER:
                    os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)
                    changed += 1
        changed += os.fstat(top).st_uid != uid
        os.chown(top, uid, gid)
    return changed


def give(path: str, uid: int, gid: int) -> None:
    """Give a directory to a user and a group, and nothing in it."""
    with _opened(path) as top:
        os.chown(top, uid, gid)


def is_shared(path: str, gid: int) -> bool:
    """Whether a directory belongs to root and the members of a group alone may write to it."""
    found = os.stat(path)
    mode = stat.S_IMODE(found.st_mode)
    return (found.st_uid, found.st_gid, mode) == (0, gid, SHARED_MODE)


def share(path: str, gid: int) -> None:
    """Let members of a group write to a directory and to all directories in it.

    Files keep owner, group and mode: who adds or replaces a file needs its directory alone.
    """
    with _opened(path) as top:
        for folder, _, _, handle in _walk(top):
            found = os.fstat(handle)
            if folder == ".":
                continue
            if found.st_gid != gid:
                os.chown(handle, -1, gid)
            if found.st_mode & GROUP_WRITES != GROUP_WRITES:
                os.chmod(handle, stat.S_IMODE(found.st_mode) | GROUP_WRITES)
        os.chown(top, 0, gid)
        os.chmod(top, SHARED_MODE)


def _place(path: str) -> str:
    """Where links of root lead; what is there may be a link of somebody else."""
    for _ in range(MOST_LINKS):
        if not os.path.islink(path) or os.lstat(path).st_uid != 0:
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return path


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """A handle of a directory; raises OSError for anything else."""
    handle = os.open(_place(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _walk(top: int) -> Iterator[tuple[str, list[str], list[str], int]]:
    """Directories from the innermost on, the given one is "."; raises OSError for one not read."""
    yield from os.fwalk(".", topdown=False, onerror=_raise, follow_symlinks=False, dir_fd=top)


def _raise(error: OSError) -> None:
    raise error
