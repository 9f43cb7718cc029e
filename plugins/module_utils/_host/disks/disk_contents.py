# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is on a block device: signatures, files and the marker of its owner. Reads only."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from typing import Any

from .. import untrusted_files
from . import mount_namespace
from .data_disks import MARKER
from .disk_model import Device


def contents(node: str) -> tuple[dict[str, Any], ...]:
    """File systems, partition tables and members of anything on a device. Raises OSError."""
    answer = subprocess.run(
        ["wipefs", "--json", "--no-act", node], capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise OSError(errno.EIO, answer.stderr.strip().replace("wipefs: error: ", ""))
    listed = json.loads(answer.stdout or "{}").get("signatures") or []
    return tuple({key: one.get(key) for key in ("type", "uuid", "label")} for one in listed)


def look_inside(device: Device) -> tuple[dict[str, Any] | None, bool]:
    """Marker of an XFS, and whether there is nothing else in it. Raises OSError."""
    if device.mounts:
        return _marker_in(device.mounts[-1].point)
    marker, empty = mount_namespace.privately(lambda place: _mounted_look(device, place))
    return marker, empty


def _mounted_look(device: Device, place: str) -> tuple[dict[str, Any] | None, bool]:
    flags = mount_namespace.MS_NODEV | mount_namespace.MS_NOSUID | mount_namespace.MS_NOEXEC
    try:
        # Without replaying its log: looking changes nothing. A copy may be beside the original.
        options = "norecovery,nouuid"
        mount_namespace.mount(device.node, place, "xfs", flags | mount_namespace.MS_RDONLY, options)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # Still mounted in a container: one more mount of the same, written to by nobody here.
        mount_namespace.mount(device.node, place, "xfs", flags)
    return _marker_in(place)


def _marker_in(folder: str) -> tuple[dict[str, Any] | None, bool]:
    names = os.listdir(folder)
    if MARKER not in names:
        return None, not names
    try:
        marker = json.loads(untrusted_files.content(f"{folder}/{MARKER}"))
    except (untrusted_files.PlantedError, ValueError, RecursionError):
        marker = {}
    return (marker if isinstance(marker, dict) else {}), False
