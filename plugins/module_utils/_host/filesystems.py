# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How file systems are mounted, what they have left, and which disk is under them.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import os
import re
from typing import Any

_ESCAPED = re.compile(r"\\([0-7]{3})")


def styles(mountinfo: str) -> dict[str, dict[str, Any]]:
    """Device number, kind of file system and options of each mount point of mountinfo."""
    found = {}
    for line in mountinfo.splitlines():
        fields = line.split()
        if "-" not in fields:
            continue
        # Options of the mount stand before the dash, those of the file system after it.
        rest = fields[fields.index("-") + 1 :]
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
        options = {*fields[5].split(","), *(rest[2].split(",") if len(rest) > 2 else ())}
        # A later line covers an earlier one.
        found[point] = {"number": fields[2], "kind": rest[0], "options": sorted(options)}
    return found


def whole_disk(number: str, root: str = "/sys/dev/block") -> str:
    """The disk that holds a device: of a partition its disk, of a mapping the one thing below it.

    What has no block device, or several below it, is its own disk.
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


def details(mount: str, table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Kind, options, disk and inodes of a mounted file system; ``table`` is what styles() gives."""
    style = table.get(mount, {"number": "", "kind": "", "options": []})
    space = os.statvfs(mount)
    # An XFS that met an error is read-only without its options saying so.
    read_only = bool(space.f_flag & os.ST_RDONLY) or "ro" in style["options"]
    return {
        "kind": style["kind"],
        "options": style["options"],
        "read_only": read_only,
        "disk": whole_disk(style["number"]) if style["number"] else "",
        "inodes": space.f_files,
        "free_inodes": space.f_favail,
    }
