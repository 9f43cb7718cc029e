# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Directories whose content gets another owner: that of a service, or the group of several.

The directory itself changes last. An interrupted change goes on in the next run, and a finished one
is known by looking at the directory alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from .data_ownership import MARKER

# Read, write, enter, and hand the group on to what is made inside.
GROUP_WRITES = stat.S_ISGID | stat.S_IRWXG
SHARED_MODE = 0o2770


def of_another_user(paths: Iterable[str], uid: int) -> list[str]:
    """Those of ``paths`` that are there and belong to another user."""
    return [path for path in paths if os.path.isdir(path) and os.stat(path).st_uid != uid]


def hand_over(path: str, uid: int, gid: int) -> None:
    """Give a directory and everything in it that has the same owner to another user and group.

    Follows no link. Nothing may write there meanwhile. What belongs to others stays as it is.
    """
    before = os.stat(path).st_uid
    for _, folders, files, handle in os.fwalk(path, topdown=False, follow_symlinks=False):
        for name in (*folders, *files):
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if found.st_uid == before and name != MARKER:
                os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)
    os.chown(path, uid, gid)


def is_shared(path: str, gid: int) -> bool:
    """Whether a directory belongs to root and the members of a group alone may write to it."""
    found = os.stat(path)
    mode = stat.S_IMODE(found.st_mode)
    return (found.st_uid, found.st_gid, mode) == (0, gid, SHARED_MODE)


def share(path: str, gid: int) -> None:
    """Let members of a group write to a directory and to all directories in it.

    Files keep owner, group and mode: who adds or replaces a file needs its directory alone.
    """
    for folder, _, _, handle in os.fwalk(path, follow_symlinks=False):
        found = os.fstat(handle)
        if folder == path:
            continue
        if found.st_gid != gid:
            os.chown(handle, -1, gid)
        if found.st_mode & GROUP_WRITES != GROUP_WRITES:
            os.chmod(handle, stat.S_IMODE(found.st_mode) | GROUP_WRITES)
    os.chown(path, 0, gid)
    os.chmod(path, SHARED_MODE)
