# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Mounts of a process, from its /proc/PID/mountinfo.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

OWN = "/proc/self/mountinfo"

_ESCAPED = re.compile(r"\\([0-7]{3})")


class MountEntry(NamedTuple):
    """A mount of ``root``, a path on a device, at ``point``; options separated by commas.

    ``device`` is a number as ``major:minor``, ``source`` mostly the path of its node. ``follows``:
    mounts below the point propagate from other namespaces. ``system_options`` are those of the file
    system, which may be read-only while the mount is not.
    """

    device: str
    root: str
    point: str
    options: str
    follows: bool
    kind: str = ""
    source: str = ""
    system_options: str = ""


def unescape_path(text: str) -> str:
    """Return a path without escapes; mountinfo and fstab write a space as ``\\040``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)


def rows(text: str) -> Iterator[MountEntry]:
    """Mounts of a mountinfo file; of two on one point the later one covers the other."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 6:
            continue
        kind, source, options = (*after.split(), "", "", "")[:3]
        yield MountEntry(
            device=fields[2],
            root=unescape_path(fields[3]),
            point=unescape_path(fields[4]),
            options=fields[5],
            follows=any(each.startswith(("shared:", "master:")) for each in fields[6:]),
            kind=kind,
            source=source,
            system_options=options,
        )


def mounts_by_point(text: str) -> dict[str, MountEntry]:
    """Return the uppermost mount of each mount point."""
    return {row.point: row for row in rows(text)}


def mount_point_of(path: str, points: Iterable[str]) -> str:
    """Return the mount point of the absolute ``path``: the longest one that is a parent of it."""
    holding = [p for p in points if path == p or path.startswith(p.rstrip("/") + "/")]
    return max(holding, key=len, default="/")
