# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Running containers of a machine, found by their processes, without the engine.

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

# The engine bind-mounts a file from the container's directory here.
BOUND = "/etc/hostname"

_CONTAINER = re.compile(r"(?:docker[-/]|/)([0-9a-f]{64})(?:\.scope)?$", re.MULTILINE)
_FOLDER = re.compile(r"(?P<folder>/.*/containers/(?P<id>[0-9a-f]{64}))/hostname")


def find_containers(proc: str = "/proc") -> list[dict[str, Any]]:
    """Return each container with ``Id``, ``Names``, ``Labels`` and ``State``, as the engine does.

    ``Names`` and ``Labels`` are empty where the engine's own description cannot be read.
    """
    # If this machine is itself a container, all its processes have such a mount.
    own = set(_bound(proc, "self"))
    points = _mount_points(proc)
    containers: dict[str, dict[str, Any]] = {}
    for pid in filter(str.isdigit, os.listdir(proc)):
        for number, root in _bound(proc, pid):
            match = _FOLDER.fullmatch(root)
            if match and (number, root) not in own and match["id"] not in containers:
                path = _on_this_machine(number, match["folder"], points)
                containers[match["id"]] = _describe(match["id"], path)
    return list(containers.values())


def container_id(cgroup: str) -> str | None:
    """Return the container id of a process from the text of /proc/PID/cgroup; None for none."""
    match = _CONTAINER.search(cgroup)
    return match[1] if match else None


def _bound(proc: str, pid: str) -> Iterator[tuple[str, str]]:
    """Device and path of what a process has mounted at BOUND; nothing if it has ended."""
    try:
        table = read(f"{proc}/{pid}/mountinfo")
    except OSError:
        return
    # Most processes have no such mount: skip parsing their tables.
    if f" {BOUND} " in table:
        yield from ((row.device, row.root) for row in rows(table) if row.point == BOUND)


def _mount_points(proc: str) -> list[tuple[str, str, str]]:
    """Return device, path on it and mount point of each mount, the longest path first."""
    found = [(row.device, row.root, row.point) for row in rows(read(f"{proc}/self/mountinfo"))]
    return sorted(found, key=lambda each: len(each[1]), reverse=True)


def _on_this_machine(number: str, path: str, points: list[tuple[str, str, str]]) -> str:
    """Return the location of a device's ``path`` on this machine; empty if it is not mounted."""
    for device, root, point in points:
        inside = path[len(root.rstrip("/")) :]
        if device == number and path.startswith(root) and inside.startswith("/"):
            return point.rstrip("/") + inside
    return ""


def _describe(identity: str, folder: str) -> dict[str, Any]:
    """Describe a container from the engine's configuration file."""
    try:
        with open(f"{folder}/config.v2.json", encoding="utf-8") as stream:
            kept = json.load(stream)
        names, labels = [str(kept["Name"])], dict((kept.get("Config") or {}).get("Labels") or {})
    except (OSError, ValueError, KeyError, TypeError):
        names, labels = [], {}
    return {"Id": identity, "Names": names, "Labels": labels, "State": "running"}
