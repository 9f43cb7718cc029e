# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of /etc/fstab for data disks; all other lines are preserved byte for byte."""

from __future__ import annotations

from collections.abc import Mapping

from ..mount_table import unescape_path

# nofail: a machine boots without a data disk. The engine starts after the disk is mounted or the
# timeout is over: a container that starts earlier may see only the empty mount point.
OPTIONS = "noatime,nodev,nosuid,nofail,x-systemd.before=docker.service,x-systemd.device-timeout=30s"


def mount_line(uuid: str, mount: str) -> str:
    """Return the line that mounts a file system."""
    point = "".join(f"\\{ord(char):03o}" if char in " \t\\#" else char for char in mount)
    return f"UUID={uuid} {point} xfs {OPTIONS} 0 0"


def mount_point(text: str) -> str:
    """Return the mount point of a line; empty for a comment or an empty line."""
    fields = text.split()
    if len(fields) < 2 or fields[0].startswith("#"):
        return ""
    return unescape_path(fields[1])


def uuid_of_mount(content: str, mount: str) -> str:
    """Return the UUID that fstab has for ``mount``; empty without a line by UUID."""
    for text in content.splitlines():
        if mount_point(text) == mount and text.split()[0].startswith("UUID="):
            return text.split()[0][len("UUID=") :].strip('"')
    return ""


def set_mount_lines(content: str, disks: Mapping[str, str]) -> str:
    """Return ``content`` with one line for each mount point in ``disks``, which has their UUIDs.

    The first existing line of a mount point is replaced, further ones are removed.
    """
    missing = dict(disks)
    kept = []
    for text in content.splitlines(keepends=True):
        mount = mount_point(text)
        if mount in missing:
            kept.append(mount_line(missing.pop(mount), mount) + "\n")
        elif mount not in disks:
            kept.append(text)
    if missing and kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    return "".join(kept + [f"{mount_line(uuid, mount)}\n" for mount, uuid in missing.items()])
