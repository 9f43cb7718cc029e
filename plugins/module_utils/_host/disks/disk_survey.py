# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Survey of all declared disks of a host: find and classify them together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from . import data_disks, disk_devices, fstab
from .disk_model import Device, Disk, Owner, Spec
from .disk_plan import Guard, check_mount_points


def survey(
    specs: Sequence[Spec],
    owner: Owner,
    named: Mapping[str, Collection[str]],
    guards: dict[str, Guard],
    lines: str,
) -> tuple[list[Disk], list[Device]]:
    """Return every disk with its action, and blank devices if a disk is missing.

    ``named``: names of disks to overwrite and to adopt.
    """
    machine, mounts = disk_devices.BlockDevices(), disk_devices.parse_mounts()
    found = [
        data_disks.classify(
            spec,
            [machine.device(place, spec.path, mounts) for place in machine.find(spec)],
            owner,
            known=fstab.uuid_of_mount(lines, spec.mount),
            overwrite=spec.name in named["overwrite"],
            adopt=spec.name in named["adopt"],
        )
        for spec in specs
    ]
    points = [mount for _, mount in mounts]
    together = check_mount_points(data_disks.check_together(found), guards, points)
    lost = any(disk.state == data_disks.MISSING for disk in together)
    return together, machine.unused() if lost else []
