# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of /etc/fstab for data disks; every other line stays byte for byte."""

from __future__ import annotations

from collections.abc import Mapping

from ..mount_table import unescaped

# nofail: a machine boots without a data disk. The engine waits until the disk is mounted or has had
# its time: a container that starts earlier would see an empty mount point for as long as it lives.
OPTIONS = "noatime,nodev,nosuid,nofail,x-systemd.before=docker.service,x-systemd.device-timeout=30s"


def line(uuid: str, mount: str) -> str:
    """The line that mounts a file system."""
    point = "".join(f"\\{ord(char):03o}" if char in " \t\\#" else char for char in mount)
    return f"UUID={uuid} {point} xfs {OPTIONS} 0 0"


def mount_point(text: str) -> str:
    """The mount point that a line of fstab is about; empty for a comment or an empty line."""
    fields = text.split()
    if len(fields) < 2 or fields[0].startswith("#"):
        return ""
    return unescaped(fields[1])


def known(content: str, mount: str) -> str:
    """UUID that fstab has for ``mount``; empty when it has none, or finds the disk otherwise."""
    for text in content.splitlines():
        if mount_point(text) == mount and text.split()[0].startswith("UUID="):
            return text.split()[0][len("UUID=") :].strip('"')
    return ""


def edited(content: str, disks: Mapping[str, str]) -> str:
    """``content`` with one line for each mount point in ``disks``, which has their UUIDs.

    A line that is there for the mount point is replaced where it stands, further ones for it go.
    """
    missing = dict(disks)
    kept = []
    for text in content.splitlines(keepends=True):
        mount = mount_point(text)
        if mount in missing:
            kept.append(line(missing.pop(mount), mount) + "\n")
        elif mount not in disks:
            kept.append(text)
    if missing and kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    return "".join(kept + [f"{line(uuid, mount)}\n" for mount, uuid in missing.items()])
