# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""File systems: mount, free space and underlying disk.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .mount_table import MountEntry, mount_point_of


def describe_path(path: str, table: Mapping[str, MountEntry]) -> dict[str, Any]:
    """Return mount point, device, free and total bytes of ``path`` or its nearest existing parent.

    ``system``: it is on the file system of /. ``table`` is by mount point.
    """
    real = os.path.realpath(path)
    while not os.path.exists(real):
        real = os.path.dirname(real)
    mount, space = mount_point_of(real, table), os.statvfs(real)
    found, system = table.get(mount), table.get("/")
    return {
        "mount": mount,
        "device": found.source if found else "",
        "system": found is not None and system is not None and found.device == system.device,
        "free": space.f_bavail * space.f_frsize,
        "total": space.f_blocks * space.f_frsize,
    }


def whole_disk(number: str, root: str = "/sys/dev/block") -> str:
    """Return the disk of a device: for a partition its disk, for a mapping its one lower device.

    A device without a block device or with several lower devices counts as its own disk.
    """
    path = os.path.realpath(os.path.join(root, number))
    if not os.path.isdir(path):
        return number
    for _ in range(8):
        below = os.path.join(path, "slaves")
        devices = os.listdir(below) if os.path.isdir(below) else []
        if os.path.exists(os.path.join(path, "partition")):
            path = os.path.dirname(path)
        elif len(devices) == 1:
            path = os.path.realpath(os.path.join(below, devices[0]))
        else:
            break
    return os.path.basename(path)


def describe_mount(mount: str, table: Mapping[str, MountEntry]) -> dict[str, Any]:
    """Return type, options, disk and inodes of a file system; ``table`` is by mount point."""
    found, space = table.get(mount), os.statvfs(mount)
    both = (found.options, found.system_options) if found else ()
    options = sorted({each for some in both for each in some.split(",") if each})
    # XFS becomes read-only after an error without a change of its mount options.
    read_only = bool(space.f_flag & os.ST_RDONLY) or "ro" in options
    return {
        "kind": found.kind if found else "",
        "options": options,
        "read_only": read_only,
        "disk": whole_disk(found.device) if found else "",
        "inodes": space.f_files,
        "free_inodes": space.f_favail,
    }
