# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Release of a data disk from a host: its mounts, the processes that hold it, unmounting."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping

from .. import mount_table
from ..mount_table import MountEntry
from . import disk_changes, fstab

# Timeout of umount. A hung file system cannot be unmounted, only detached lazily.
UMOUNT_SECONDS = 30


def read(process: str = "self") -> list[MountEntry]:
    """Return the mounts of a process; none when it has ended."""
    try:
        with open(f"/proc/{process}/mountinfo", encoding="utf-8", errors="replace") as stream:
            return list(mount_table.rows(stream.read()))
    except OSError:
        return []


def find_mount(mounts: Iterable[MountEntry], point: str) -> MountEntry | None:
    """Return the mount at a mount point: the last one covers the others."""
    found = [mount for mount in mounts if mount.point == point]
    return found[-1] if found else None


def find_holders(mounts_of: Mapping[str, Iterable[MountEntry]], device: str) -> list[str]:
    """Return processes that keep a device mounted after the host unmounts it, sorted.

    Those are mounts without propagation, as containers may have.
    """
    holding = (
        process
        for process, mounts in mounts_of.items()
        if any(mount.device == device and not mount.follows for mount in mounts)
    )
    return sorted(holding, key=int)


def holders(device: str) -> list[str]:
    """Return ``name (pid)`` of processes that keep a device mounted in their own namespace."""
    own = os.readlink("/proc/self/ns/mnt")
    processes = [name for name in os.listdir("/proc") if name.isdigit() and _namespace(name) != own]
    return [
        f"{_name(process)} ({process})"
        for process in find_holders({process: read(process) for process in processes}, device)
    ]


def _namespace(process: str) -> str:
    try:
        return os.readlink(f"/proc/{process}/ns/mnt")
    except OSError:
        return ""


def _name(process: str) -> str:
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as stream:
            return stream.read().strip()
    except OSError:
        return "ended"


def unmount(point: str) -> str:
    """Unmount; return ``lazily`` if the mount could only be detached, otherwise empty."""
    try:
        done = subprocess.run(
            ["umount", point],
            capture_output=True,
            timeout=UMOUNT_SECONDS,
            check=False,
        )
        if done.returncode == 0:
            return ""
    except subprocess.TimeoutExpired:
        pass
    disk_changes.run("umount", "--lazy", point)
    return "lazily"


def remove_mount_lines(content: str, mount: str) -> str:
    """Return the text of fstab without the lines of a mount point."""
    return "".join(
        text for text in content.splitlines(keepends=True) if fstab.mount_point(text) != mount
    )


def write_fstab(content: str) -> None:
    """Replace fstab atomically, and reload systemd."""
    path = disk_changes.FSTAB
    new = f"{path}.kafka-metal"
    mode = os.stat(path).st_mode & 0o7777
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(
        os.open(new, flags, mode), "w", encoding="utf-8", errors="surrogateescape", newline=""
    ) as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(new, path)
    if os.path.isdir("/run/systemd/system"):
        disk_changes.run("systemctl", "daemon-reload")


def mount_point_exists(point: str) -> bool:
    """Whether a mount point exists, by its name only: a mounted file system may hang."""
    parent, name = os.path.split(point)
    return os.path.isdir(parent) and name in os.listdir(parent)


def remove(point: str) -> None:
    """Remove an empty, immutable mount point."""
    if mount_point_exists(point):
        disk_changes.clear_guard(point)
        os.rmdir(point)
