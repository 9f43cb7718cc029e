# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan for disks: the steps in order, one message each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..._common.units import size_text
from . import disk_reserve, fstab
from .data_disks import FORMAT, LEAVE, MISSING, READY, REFUSE, USE, is_mounted, lacking_options
from .disk_model import Disk, Mount


@dataclass(frozen=True)
class Guard:
    """The directory of a mount point itself, below a mounted disk."""

    exists: bool = False
    immutable: bool = False
    # Files and directories in it, on the system disk; a mount hides them.
    entries: int = 0


@dataclass(frozen=True)
class Step:
    """One change of a ``kind``; ``text`` is its message in a plan."""

    kind: str
    disk: Disk
    text: str
    # Bytes of a reserve.
    size: int = 0


def check_mount_points(
    disks: Sequence[Disk], guards: dict[str, Guard], mounts: Sequence[Mount]
) -> list[Disk]:
    """Return the disks, refusing those whose mount point is taken or has files."""
    taken = {mount.point for mount in mounts}
    return [_check_mount_point(disk, guards[disk.spec.name], taken) for disk in disks]


def _check_mount_point(disk: Disk, guard: Guard, taken: set[str]) -> Disk:
    if disk.action not in (USE, FORMAT) or is_mounted(disk):
        return disk
    point = disk.spec.mount
    if point in taken:
        found, allowed = f"another device mounted at {point}", "a free mount point: unmount it"
    elif guard.entries:
        found = f"{guard.entries} entries in {point}, on the system disk"
        allowed = "an empty mount point: move the entries, a mount would hide them"
    else:
        return disk
    return replace(disk, action=REFUSE, found=found, allowed=allowed)


def plan(disk: Disk, guard: Guard, fstab_content: str) -> list[Step]:
    """Return the steps for one disk; the same in check mode and in a real run."""
    found = []
    spec, where = disk.spec, disk.where
    if disk.action == REFUSE:
        return []
    if disk.action == FORMAT:
        over = f", over {disk.found}" if disk.state != "blank" else ""
        found.append(Step("format", disk, f"{where} is formatted with XFS{over}"))
    if disk.action == USE and disk.state != READY:
        text = f"{where} becomes {spec.name} of this host with all its data: {disk.found}"
        found.append(Step("mark", disk, text))
    if not guard.immutable:
        verb = "becomes" if guard.exists else "is created and becomes"
        text = f"{spec.mount} {verb} immutable while nothing is mounted on it"
        found.append(Step("guard", disk, text))
    if disk.action == LEAVE:
        return found
    uuid = "" if disk.action == FORMAT or disk.device is None else disk.device.uuid
    if not uuid or fstab.set_mount_lines(fstab_content, {spec.mount: uuid}) != fstab_content:
        found.append(Step("fstab", disk, f"/etc/fstab mounts {spec.name} at {spec.mount} by UUID"))
    if not is_mounted(disk):
        found.append(Step("mount", disk, f"{where} is mounted at {spec.mount}"))
    elif lacking_options(disk):
        options = ", ".join(lacking_options(disk))
        found.append(Step("remount", disk, f"{spec.mount} is remounted with {options}"))
    return found


def reserves(disks: Sequence[Disk], declared: int, read: Callable[[str, int], int]) -> list[Step]:
    """Return steps that create reserves; ``read`` returns the bytes of a missing reserve."""
    found = []
    for disk in disks:
        if declared <= 0 or disk.action not in (USE, FORMAT) or disk.device is None:
            continue
        if disk.action == USE and is_mounted(disk):
            size = read(disk.spec.mount, declared)
        else:
            # The reserve of an unmounted disk can be checked only after mounting it.
            size = disk_reserve.reserve_bytes(declared, disk.device.size)
            size = size if disk.action == FORMAT else 0
        if size:
            text = f"{disk.spec.name} gets a reserve of {size_text(size)}"
            found.append(Step("reserve", disk, text, size))
    return found


def hidden_files_messages(disk: Disk, guard: Guard) -> list[str]:
    """Return a message on files that a mounted disk hides; empty without any."""
    if not guard.entries or not (is_mounted(disk) or disk.action == LEAVE):
        return []
    return [
        f"{guard.entries} entries in {disk.spec.mount} on the system disk are hidden by "
        f"{disk.spec.name}: a process wrote there while the disk was not mounted"
    ]


def disk_result(disk: Disk, done: bool, uuid: str = "") -> dict[str, Any]:
    """Return a disk as the module's result; ``done``: its steps were applied."""
    device = disk.device
    ready = done and disk.action in (USE, FORMAT)
    return {
        "name": disk.spec.name,
        "mount": disk.spec.mount,
        "state": READY if ready else disk.state,
        "found": disk.found,
        "device": device.node if device else "",
        "serial": device.serial if device else "",
        "wwn": device.wwn if device else "",
        "uuid": uuid or (device.uuid if device else "") or disk.known,
        "mounted": ready or (disk.state != MISSING and is_mounted(disk)),
        "known": bool(disk.known),
        "size": device.size if device else 0,
        "rotational": device.rotational if device else False,
    }
