# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Directories of services: on the disk where they belong, with their owner and marker."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import data_ownership, owner_change

# What becomes of the content of directories that belong to another user, see module service_files.
KEEP, REPORT, CHANGE = "keep", "report", "change"


@dataclass
class Outcome:
    """What differs or did, and what was done about it.

    ``differs`` are paths, ``steps`` messages, ``diffs`` texts before and after, ``gone``
    directories on disks that are not there, each with the reason.
    """

    differs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    diffs: list[dict[str, str]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def differ(self, path: str, step: str) -> None:
        """Note that ``path`` differs, and what is done about it."""
        self.differs.append(path)
        self.steps.append(step)

    def result(self) -> dict[str, Any]:
        """The same by the names of the module's return values."""
        return {
            "changed": bool(self.differs),
            "differs": self.differs,
            "steps": self.steps,
            "diff": self.diffs,
            "unavailable": self.gone,
        }


def ids_of(owner: int | None, group: int | None) -> tuple[int, int]:
    """Ids of user and group; those of this process where none is given."""
    return (
        os.getuid() if owner is None else owner,
        os.getgid() if group is None else group,
    )


def owned(path: str, owner: int, group: int) -> bool:
    """Whether ``path`` belongs to the ids given."""
    status = os.stat(path)
    return (status.st_uid, status.st_gid) == (owner, group)


def unavailable(path: str, mounts: Sequence[str]) -> str | None:
    """Why a directory cannot be on the disk it belongs on; None where it can."""
    mount = next((each for each in mounts if path == each or path.startswith(f"{each}/")), None)
    if mount is None:
        return None
    try:
        # A disk with errors is no mount point to os.path.ismount().
        os.lstat(mount)
        if not os.path.ismount(mount):
            return f"no disk is mounted at {mount}"
        os.stat(path)
    except FileNotFoundError:
        if not os.path.exists(mount):
            return f"no disk is mounted at {mount}"
        return "the disk is read-only" if os.statvfs(mount).f_flag & os.ST_RDONLY else None
    except OSError as error:
        return error.strerror
    return None


def directory_differs(path: str, owner: int, group: int) -> bool:
    """Whether ``path`` is missing, is no directory or belongs to somebody else."""
    return not os.path.isdir(path) or not owned(path, owner, group)


def unmarked(path: str, cluster: str, service: str) -> str:
    """Mark a directory; why that has to wait, where its disk is full, read-only or broken."""
    try:
        data_ownership.mark(path, cluster, service)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
            raise
        return f"its owner cannot be written there: {error.strerror}"
    return ""


def foreign(directories: Sequence[str], owner: Mapping[str, Any] | None) -> list[str]:
    """A sentence for each directory that the marker of another cluster is in."""
    if not owner:
        return []
    found = {path: data_ownership.owners(path).keys() - {owner["cluster"]} for path in directories}
    return [
        f"{path}: found the marker ({data_ownership.MARKER}) of {', '.join(sorted(found[path]))}; "
        f"wanted: a directory of cluster {owner['cluster']}. Declare another one; after the "
        "cluster was given another name, remove the marker"
        for path in found
        if found[path] and path not in owner["shared"]
    ]


def _own(
    spec: Mapping[str, Any], path: str, ids: tuple[int, int], dry: bool, outcome: Outcome
) -> None:
    """A directory of one service; its content follows where the service's user is another."""
    made, follows = not os.path.isdir(path), spec["content"] != KEEP
    # A change that was interrupted, or is taken back, may have left the directory as it shall be.
    if not directory_differs(path, *ids) and (dry or spec["content"] != CHANGE):
        return
    foreign = follows and owner_change.of_another_user([path], ids[0])
    if made:
        outcome.differ(path, f"directory {path} is made")
    elif foreign:
        before = os.stat(path).st_uid
        outcome.differ(path, f"directory {path} and its content get owner {before} -> {ids[0]}")
    elif directory_differs(path, *ids):
        outcome.differ(path, f"directory {path} gets its owner")
    if dry:
        return
    os.makedirs(path, mode=int(spec["directory_mode"], 8), exist_ok=True)
    if not follows or made:
        owner_change.give(path, *ids)
    elif owner_change.hand_over(path, *ids) and not foreign:
        outcome.differ(path, f"content of directory {path} gets owner {ids[0]}")


def _share(spec: Mapping[str, Any], path: str, dry: bool, outcome: Outcome) -> None:
    """A directory that a group writes to. One that changes its user may have made more below it."""
    gid, made = spec["shared_group"], not os.path.isdir(path)
    if not made and spec["content"] != CHANGE and owner_change.is_shared(path, gid):
        return
    if made:
        outcome.differ(path, f"directory {path} is made")
    elif not owner_change.is_shared(path, gid):
        outcome.differ(path, f"directories of {path} can be written by group {gid}")
    if not dry:
        os.makedirs(path, exist_ok=True)
        owner_change.share(path, gid)


def converge(spec: Mapping[str, Any], ids: tuple[int, int], dry: bool, outcome: Outcome) -> None:
    """Directories of a service with their owner and marker, as the module's parameters have them.

    ``ids`` are those of the user and the group that own them.
    """
    owner = spec["owner_of"]
    for path in spec["directories"]:
        reason = unavailable(path, spec["disk_mounts"])
        if reason is not None:
            outcome.gone.append(f"{path}: {reason}")
            continue
        made = not os.path.isdir(path)
        if spec["shared_group"] is not None and owner and path in owner["shared"]:
            _share(spec, path, dry, outcome)
        else:
            _own(spec, path, ids, dry, outcome)
        if not owner:
            continue
        service = "" if path in owner["shared"] else owner["service"]
        if data_ownership.is_marked(path, owner["cluster"], service):
            continue
        if not dry and (reason := unmarked(path, owner["cluster"], service)):
            outcome.gone.append(f"{path}: {reason}")
            continue
        if not made:
            outcome.differs.append(os.path.join(path, data_ownership.MARKER))
            outcome.steps.append(f"directory {path} is marked as cluster {owner['cluster']}'s")
