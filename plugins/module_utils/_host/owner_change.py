# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Recursive changes of the owner of directories, to a service's user or a shared group.

The module service_files uses this for a service's own directories while its container is stopped.
The directory itself changes last: the next run resumes an interrupted change, and recognizes a
finished one by the directory alone.

Services and members of a group can write to these directories, and root changes them. So only
links made by root are followed, and a directory is opened once and changed by its descriptor.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from .data_ownership import MARKER

# rwx for the group, and setgid: new entries inherit the group.
GROUP_WRITES = stat.S_ISGID | stat.S_IRWXG
SHARED_MODE = 0o2770
# Maximum length of a chain of links.
MOST_LINKS = 8


def planted_links(paths: Iterable[str]) -> list[str]:
    """Return a message for each of ``paths`` that is a link and does not belong to root."""
    places = {path: _resolve_root_links(path) for path in paths}
    return [
        f"{path}: found a link to {os.readlink(place)} that user {os.lstat(place).st_uid} made; "
        "allowed: a directory, or a link that belongs to root"
        for path, place in places.items()
        if os.path.islink(place)
    ]


def owned_by_others(paths: Iterable[str], uid: int) -> list[str]:
    """Return those of ``paths`` that exist and belong to another user."""
    return [path for path in paths if os.path.isdir(path) and os.stat(path).st_uid != uid]


def hand_over(path: str, uid: int, gid: int) -> int:
    """Change the owner of a directory and its content, except root's; return how many changed.

    No process may write there meanwhile. Raises OSError if an entry cannot be read or changed; the
    owner of the directory itself is then unchanged.
    """
    changed = 0
    with _open_directory(path) as top:
        for _, folders, files, handle in _walk(top):
            for name in (*folders, *files):
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
                if found.st_uid not in (0, uid) and name != MARKER:
                    os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)
                    changed += 1
        changed += os.fstat(top).st_uid != uid
        os.chown(top, uid, gid)
    return changed


def change_owner(path: str, uid: int, gid: int) -> None:
    """Change the owner and group of a directory, without its content."""
    with _open_directory(path) as top:
        os.chown(top, uid, gid)


def is_shared(path: str, gid: int) -> bool:
    """Whether a directory belongs to root and only members of the group may write to it."""
    found = os.stat(path)
    mode = stat.S_IMODE(found.st_mode)
    return (found.st_uid, found.st_gid, mode) == (0, gid, SHARED_MODE)


def make_group_writable(path: str, gid: int) -> None:
    """Make a directory and all directories in it writable for a group.

    Files keep owner, group and mode: adding or replacing them needs only the directory.
    """
    with _open_directory(path) as top:
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


def _resolve_root_links(path: str) -> str:
    """Resolve links that belong to root; the result may be a link of another user."""
    for _ in range(MOST_LINKS):
        if not os.path.islink(path) or os.lstat(path).st_uid != 0:
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return path


@contextmanager
def _open_directory(path: str) -> Iterator[int]:
    """Open a directory; raises OSError for any other file."""
    handle = os.open(_resolve_root_links(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _walk(top: int) -> Iterator[tuple[str, list[str], list[str], int]]:
    """Walk directories bottom-up; ``top`` is "."; raises OSError for an unreadable one."""
    yield from os.fwalk(".", topdown=False, onerror=_raise, follow_symlinks=False, dir_fd=top)


def _raise(error: OSError) -> None:
    raise error
