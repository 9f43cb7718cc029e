# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers that run on a machine, by their processes: also while the engine does not answer.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from .mount_table import rows
from .procfs import read

# The engine binds a file of its own folder for each container over this one.
BOUND = "/etc/hostname"

_CONTAINER = re.compile(r"(?:docker[-/]|/)([0-9a-f]{64})(?:\.scope)?$", re.MULTILINE)
_FOLDER = re.compile(r"(?P<folder>/.*/containers/(?P<id>[0-9a-f]{64}))/hostname")


def found(proc: str = "/proc") -> list[dict[str, Any]]:
    """Each container with ``Id``, ``Names``, ``Labels`` and ``State``, as the engine lists it.

    ``Names`` and ``Labels`` are empty where the engine's own description cannot be read.
    """
    # A machine that is a container itself has such a file too: all of its processes have.
    own = set(_bound(proc, "self"))
    points = _points(proc)
    containers: dict[str, dict[str, Any]] = {}
    for pid in filter(str.isdigit, os.listdir(proc)):
        for number, root in _bound(proc, pid):
            match = _FOLDER.fullmatch(root)
            if match and (number, root) not in own and match["id"] not in containers:
                path = _on_this_machine(number, match["folder"], points)
                containers[match["id"]] = _described(match["id"], path)
    return list(containers.values())


def container_id(cgroup: str) -> str | None:
    """The container that a process is in, from its /proc/PID/cgroup; None for none."""
    match = _CONTAINER.search(cgroup)
    return match[1] if match else None


def _bound(proc: str, pid: str) -> Iterator[tuple[str, str]]:
    """Device and path on it of what a process has at BOUND; nothing of one that is gone."""
    try:
        table = read(f"{proc}/{pid}/mountinfo")
    except OSError:
        return
    # Most processes have none: their tables are not taken apart.
    if f" {BOUND} " in table:
        yield from ((row.device, row.root) for row in rows(table) if row.point == BOUND)


def _points(proc: str) -> list[tuple[str, str, str]]:
    """Device, path on it and mount point of each mount of this machine, the longest path first."""
    found = [(row.device, row.root, row.point) for row in rows(read(f"{proc}/self/mountinfo"))]
    return sorted(found, key=lambda each: len(each[1]), reverse=True)


def _on_this_machine(number: str, path: str, points: list[tuple[str, str, str]]) -> str:
    """Where this machine has ``path`` of a device; empty for a device that it does not mount."""
    for device, root, point in points:
        inside = path[len(root.rstrip("/")) :]
        if device == number and path.startswith(root) and inside.startswith("/"):
            return point.rstrip("/") + inside
    return ""


def _described(identity: str, folder: str) -> dict[str, Any]:
    """A container by the file that the engine keeps of it."""
    try:
        with open(f"{folder}/config.v2.json", encoding="utf-8") as stream:
            kept = json.load(stream)
        names, labels = [str(kept["Name"])], dict((kept.get("Config") or {}).get("Labels") or {})
    except (OSError, ValueError, KeyError, TypeError):
        names, labels = [], {}
    return {"Id": identity, "Names": names, "Labels": labels, "State": "running"}
