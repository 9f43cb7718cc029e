# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Directories of services: on their declared disk, with owner and marker."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import data_ownership, owner_change

# Actions for the content of directories that belong to another user, see module service_files.
KEEP, REPORT, CHANGE = "keep", "report", "change"


@dataclass
class Outcome:
    """Differences found, and the changes made.

    ``differs`` are paths, ``steps`` messages, ``diffs`` texts before and after.
    ``unavailable_dirs`` are directories on missing disks, each with the reason.
    """

    differs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    diffs: list[dict[str, str]] = field(default_factory=list)
    unavailable_dirs: list[str] = field(default_factory=list)

    def differ(self, path: str, step: str) -> None:
        """Store that ``path`` differs, and the message of the change."""
        self.differs.append(path)
        self.steps.append(step)

    def result(self) -> dict[str, Any]:
        """Return the outcome as the module's result."""
        return {
            "changed": bool(self.differs),
            "differs": self.differs,
            "steps": self.steps,
            "diff": self.diffs,
            "unavailable": self.unavailable_dirs,
        }


def resolve_ids(owner: int | None, group: int | None) -> tuple[int, int]:
    """Return the ids of user and group; None means those of this process."""
    return (
        os.getuid() if owner is None else owner,
        os.getgid() if group is None else group,
    )


def is_owned_by(path: str, owner: int, group: int) -> bool:
    """Whether ``path`` belongs to this user and group."""
    status = os.stat(path)
    return (status.st_uid, status.st_gid) == (owner, group)


def unavailable_reason(path: str, mounts: Sequence[str]) -> str | None:
    """Return why a directory's disk is not available; None if it is."""
    mount = next((each for each in mounts if path == each or path.startswith(f"{each}/")), None)
    if mount is None:
        return None
    try:
        # os.path.ismount() is false for a disk with I/O errors; os.lstat() raises.
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
    """Whether ``path`` is missing, is not a directory or has another owner."""
    return not os.path.isdir(path) or not is_owned_by(path, owner, group)


def try_to_mark(path: str, cluster: str, service: str) -> str:
    """Mark a directory; return the error if its disk is full, read-only or has failed."""
    try:
        data_ownership.mark(path, cluster, service)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
            raise
        return f"its marker cannot be written: {error.strerror}"
    return ""


def foreign_markers(directories: Sequence[str], owner: Mapping[str, Any] | None) -> list[str]:
    """Return a message for each directory with the marker of another cluster."""
    if not owner:
        return []
    found = {
        path: data_ownership.read_owners(path).keys() - {owner["cluster"]} for path in directories
    }
    return [
        f"{path}: found the marker ({data_ownership.MARKER}) of {', '.join(sorted(found[path]))}; "
        f"allowed: a directory of cluster {owner['cluster']}. Declare another one; if the "
        "cluster was renamed, remove the marker"
        for path in found
        if found[path] and path not in owner["shared"]
    ]


def _converge_owned(
    spec: Mapping[str, Any], path: str, ids: tuple[int, int], dry: bool, outcome: Outcome
) -> None:
    """Create a service's directory or correct its owner, with its content if ``content`` is set."""
    created, recursive = not os.path.isdir(path), spec["content"] != KEEP
    # After an interrupted change the directory may be right, but not its content.
    if not directory_differs(path, *ids) and (dry or spec["content"] != CHANGE):
        return
    foreign = recursive and owner_change.owned_by_others([path], ids[0])
    if created:
        outcome.differ(path, f"directory {path} is created")
    elif foreign:
        before = os.stat(path).st_uid
        outcome.differ(path, f"directory {path} and its content get owner {before} -> {ids[0]}")
    elif directory_differs(path, *ids):
        outcome.differ(path, f"directory {path} gets its owner")
    if dry:
        return
    os.makedirs(path, mode=int(spec["directory_mode"], 8), exist_ok=True)
    if not recursive or created:
        owner_change.change_owner(path, *ids)
    elif owner_change.hand_over(path, *ids) and not foreign:
        outcome.differ(path, f"content of directory {path} gets owner {ids[0]}")


def _converge_shared(spec: Mapping[str, Any], path: str, dry: bool, outcome: Outcome) -> None:
    """Create a group-writable directory or correct it; services may have created others below."""
    gid, created = spec["shared_group"], not os.path.isdir(path)
    if not created and spec["content"] != CHANGE and owner_change.is_shared(path, gid):
        return
    if created:
        outcome.differ(path, f"directory {path} is created")
    elif not owner_change.is_shared(path, gid):
        outcome.differ(path, f"directories of {path} become writable for group {gid}")
    if not dry:
        os.makedirs(path, exist_ok=True)
        owner_change.make_group_writable(path, gid)


def converge(spec: Mapping[str, Any], ids: tuple[int, int], dry: bool, outcome: Outcome) -> None:
    """Converge the directories of a service with owner and marker to the module's parameters.

    ``ids``: user and group that own them.
    """
    owner = spec["owner_of"]
    for path in spec["directories"]:
        reason = unavailable_reason(path, spec["disk_mounts"])
        if reason is not None:
            outcome.unavailable_dirs.append(f"{path}: {reason}")
            continue
        created = not os.path.isdir(path)
        if spec["shared_group"] is not None and owner and path in owner["shared"]:
            _converge_shared(spec, path, dry, outcome)
        else:
            _converge_owned(spec, path, ids, dry, outcome)
        if not owner:
            continue
        service = "" if path in owner["shared"] else owner["service"]
        if data_ownership.is_marked(path, owner["cluster"], service):
            continue
        if not dry and (reason := try_to_mark(path, owner["cluster"], service)):
            outcome.unavailable_dirs.append(f"{path}: {reason}")
            continue
        if not created:
            outcome.differs.append(os.path.join(path, data_ownership.MARKER))
            outcome.steps.append(f"directory {path} is marked for cluster {owner['cluster']}")
