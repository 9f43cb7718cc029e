# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Content of a block device: signatures and the owner's marker. Read only."""

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
    """Return signatures of file systems, partition tables and so on. Raises OSError."""
    done = subprocess.run(
        ["wipefs", "--json", "--no-act", node], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise OSError(errno.EIO, done.stderr.strip().replace("wipefs: error: ", ""))
    listed = json.loads(done.stdout or "{}").get("signatures") or []
    return tuple({key: one.get(key) for key in ("type", "uuid", "label")} for one in listed)


def read_marker(device: Device) -> tuple[dict[str, Any] | None, bool]:
    """Return the marker of an XFS, and whether the file system is empty. Raises OSError."""
    if device.mounts:
        return _marker_in(device.mounts[-1].point)
    marker, empty = mount_namespace.run_in_mount_namespace(
        lambda place: _mount_and_read(device, place)
    )
    return marker, empty


def _mount_and_read(device: Device, place: str) -> tuple[dict[str, Any] | None, bool]:
    flags = mount_namespace.MS_NODEV | mount_namespace.MS_NOSUID | mount_namespace.MS_NOEXEC
    try:
        # norecovery: reading must not replay the log. nouuid: a copy of the disk may be mounted.
        options = "norecovery,nouuid"
        mount_namespace.mount(device.node, place, "xfs", flags | mount_namespace.MS_RDONLY, options)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # Still mounted in a container: mount it once more, without writing.
        mount_namespace.mount(device.node, place, "xfs", flags)
    return _marker_in(place)


def _marker_in(folder: str) -> tuple[dict[str, Any] | None, bool]:
    names = os.listdir(folder)
    if MARKER not in names:
        return None, not names
    try:
        marker = json.loads(untrusted_files.read_content(f"{folder}/{MARKER}"))
    except (untrusted_files.PlantedError, ValueError, RecursionError):
        marker = {}
    return (marker if isinstance(marker, dict) else {}), False
