# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Data disks: the state of a device, and the action it allows. Decisions only, no I/O.

A disk is owned when it has XFS and a marker that names this cluster, this host and this disk.
Disks that are neither owned nor blank are refused unless the operator names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .disk_model import Device, Disk, Owner, Spec

MARKER = ".kafka-metal-disk.json"
# Options of the mount itself; fstab has further ones, see fstab.py.
MOUNT_OPTIONS = ("noatime", "nodev", "nosuid")

READY, BLANK, MISSING, FOREIGN = "ready", "blank", "missing", "foreign"
SWAPPED, READ_ONLY, FAILED = "swapped", "read_only", "failed"

# Actions: use as it is, format first, leave alone and report as a problem, or refuse.
USE, FORMAT, LEAVE, REFUSE = "use", "format", "leave", "refuse"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_IDENTIFIER_PREFIX = re.compile(r"^(0x|naa\.|eui\.|uuid\.|nvme\.|wwn-|t10\.|mpath-)+")


def same_identifier(spec: str, found: str) -> bool:
    """Whether two spellings of a serial number or WWN mean the same device."""
    return _normalise_identifier(spec) == _normalise_identifier(found) != ""


def _normalise_identifier(identifier: str) -> str:
    return _IDENTIFIER_PREFIX.sub("", identifier.strip().lower())


def check_specs(specs: Sequence[Spec]) -> list[str]:
    """Return the errors of the declaration itself, one message each."""
    errors = []
    for at, spec in enumerate(specs):
        ways = [key for key in ("serial", "wwn", "path") if getattr(spec, key)]
        if not _NAME.fullmatch(spec.name):
            errors.append(f"{spec.name!r}: a name has up to 32 letters, digits, - and _")
        if len(ways) != 1:
            given = " and ".join(ways) or "none"
            errors.append(f"{spec.name}: found {given} of serial, wwn, path; allowed: exactly one")
        if not spec.mount.startswith("/") or spec.mount.rstrip("/") != spec.mount:
            errors.append(f"{spec.name}: mount {spec.mount!r} is not an absolute path below /")
        for other in specs[:at]:
            if spec.name == other.name:
                errors.append(f"{spec.name}: the name is declared twice")
            if _is_nested(spec.mount, other.mount):
                errors.append(f"{spec.name}: mount {spec.mount} overlaps that of {other.name}")
            if ways and spec.sought == other.sought:
                errors.append(f"{spec.name}: {spec.sought} is also declared for {other.name}")
    return errors


def _is_nested(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def classify(
    spec: Spec,
    found: Sequence[Device],
    owner: Owner,
    known: str = "",
    overwrite: bool = False,
    adopt: bool = False,
) -> Disk:
    """Return the state of the devices found for one spec, and the action it allows.

    ``known`` is the UUID that fstab has for the mount. It shows that the disk was ready before, so
    that a missing or failed disk does not block the others. ``overwrite``: the operator named this
    disk to be formatted; a disk in use is still refused. ``adopt``: an existing XFS becomes owned
    with all its data, whatever its marker is.
    """
    if not found:
        action = LEAVE if known else REFUSE
        return Disk(spec, MISSING, action, f"no device has {spec.sought}", known=known)
    if len(found) > 1:
        nodes = " and ".join(device.node for device in found)
        text = f"{nodes} both have {spec.sought}"
        return Disk(spec, FOREIGN, REFUSE, text, found[0], known, "one device for each name")
    device = found[0]
    state, text = _state_of(spec, device, owner, known)
    action, allowed = _action(state, spec, device, known)
    if adopt and state in (FOREIGN, SWAPPED) and _is_adoptable(spec, device):
        return Disk(spec, state, USE, text, device, known)
    if overwrite:
        blocker = _in_use(device) or ("set read-only" if device.read_only else "")
        if blocker:
            text, action = f"{text}; it is {blocker}", REFUSE
            allowed = (
                "a disk that is not in use: a name in overwrite does not unmount or stop anything"
            )
        else:
            action = FORMAT
    return Disk(spec, state, action, text, device, known, allowed)


def _state_of(spec: Spec, device: Device, owner: Owner, known: str) -> tuple[str, str]:
    """Return the state of one device, and a description of its content."""
    here = any(mount.point == spec.mount for mount in device.mounts)
    if device.fault:
        was_ready = bool(known) and (here or device.uuid in ("", known))
        what = "the disk" if was_ready else " and ".join(device.types) or "a device"
        return FAILED if was_ready else FOREIGN, f"{what} that cannot be read: {device.fault}"
    if device.partitions:
        table = " and ".join(device.types) or "a partition table"
        return FOREIGN, f"{table} with partitions {', '.join(device.partitions)}"
    if device.types == ["xfs"] and device.uuid:
        return _xfs(spec, device, owner)
    if device.contents:
        labels = [str(one["label"]) for one in device.contents if one.get("label")]
        label = f" (label {', '.join(labels)})" if labels else ""
        return FOREIGN, " and ".join(device.types) + label + _used(device)
    if _in_use(device):
        return FOREIGN, f"no known signature, but it is {_in_use(device)}"
    return (READ_ONLY, "blank and set read-only") if device.read_only else (BLANK, "blank")


def _xfs(spec: Spec, device: Device, owner: Owner) -> tuple[str, str]:
    marker = device.marker
    if marker is None:
        if device.empty and device.contents[0].get("label") == spec.label and not device.mounts:
            return BLANK, "blank: an earlier run ended before the disk was marked"
        label = device.contents[0].get("label")
        name = f" (label {label})" if label else ""
        return FOREIGN, f"XFS{name} without a kafka-metal marker{_used(device)}"
    if (marker.get("cluster"), marker.get("host")) != (owner.cluster, owner.host) or (
        marker.get("disk") != spec.name
    ):
        return SWAPPED, (
            f"{marker.get('disk')} of host {marker.get('host')} of cluster {marker.get('cluster')}"
        )
    if marker.get("uuid") != device.uuid:
        return SWAPPED, f"a copy: its marker is that of file system {marker.get('uuid')}"
    points = [mount.point for mount in device.mounts]
    if points and spec.mount not in points:
        return FOREIGN, f"this disk, mounted at {', '.join(points)}"
    mounted_ro = any("ro" in m.options for m in device.mounts if m.point == spec.mount)
    if device.read_only or mounted_ro:
        return READ_ONLY, "mounted read-only" if mounted_ro else "set read-only"
    return READY, "ready"


def _is_adoptable(spec: Spec, device: Device) -> bool:
    """Whether the whole device is one XFS that is mounted at the declared path, or not at all."""
    alone = device.types == ["xfs"] and bool(device.uuid) and not device.partitions
    elsewhere = [mount for mount in device.mounts if mount.point != spec.mount]
    return alone and not elsewhere and not device.fault and not device.read_only


def _in_use(device: Device) -> str:
    """Return the use of the device; empty when it is not in use."""
    if device.mounts:
        return f"mounted at {', '.join(mount.point for mount in device.mounts)}"
    if device.holders:
        return f"part of {', '.join(device.holders)}"
    if device.busy:
        return "in use by a container, a volume group, an array or as swap"
    return ""


def _used(device: Device) -> str:
    use = _in_use(device)
    return f", {use}" if use else ""


def _action(state: str, spec: Spec, device: Device, known: str) -> tuple[str, str]:
    """Return the action for a state, and the allowed alternatives if it is refused."""
    remedy = f"a blank disk; to erase its content, name {spec.name} in overwrite"
    if state == READY:
        return USE, ""
    if state == BLANK and not known:
        return FORMAT, ""
    if state == BLANK:
        return REFUSE, (
            f"the file system {known} that /etc/fstab mounts at {spec.mount}: this is another "
            f"disk; to start empty on it, name {spec.name} in overwrite"
        )
    if state in (FAILED, READ_ONLY):
        return (LEAVE, "") if known else (REFUSE, "a disk that can be written")
    if state == SWAPPED:
        return REFUSE, f"the disk {spec.name} of this host; {remedy}"
    if device.marker is not None and device.mounts:
        return REFUSE, f"mounted at {spec.mount} or nowhere"
    return REFUSE, remedy


def check_together(disks: Sequence[Disk]) -> list[Disk]:
    """Return the disks, refusing those that are one device or copies of one file system."""
    return [_check_one(disk, [other for other in disks if other is not disk]) for disk in disks]


def _check_one(disk: Disk, others: Sequence[Disk]) -> Disk:
    device = disk.device
    for other in others:
        if device is None or other.device is None:
            continue
        if device.node == other.device.node:
            text = f"{other.spec.name} is the same device"
        elif device.uuid and device.uuid == other.device.uuid and disk.action != FORMAT:
            text = f"{other.where} has the same file system UUID {device.uuid}"
        else:
            continue
        return Disk(
            disk.spec, disk.state, REFUSE, text, device, disk.known, "one device for each name"
        )
    return disk


def refusals(disks: Sequence[Disk]) -> list[str]:
    """Return one message for each refused disk; any of them blocks all changes."""
    return [
        f"{disk.where}: found {disk.found}" + (f"; allowed: {disk.allowed}" if disk.allowed else "")
        for disk in disks
        if disk.action == REFUSE
    ]


def problems(disks: Sequence[Disk]) -> list[str]:
    """Return the problems of disks that were ready before; they do not block the others."""
    fault = {MISSING: "is missing", READ_ONLY: "cannot be written", FAILED: "has failed"}
    return [
        f"{disk.where} {fault[disk.state]}: {disk.found}; its log dir {disk.spec.mount} is "
        "offline, nothing is written below the empty mount point"
        for disk in disks
        if disk.action == LEAVE
    ]


def lacking_options(disk: Disk) -> list[str]:
    """Return the mount options that the disk's mount lacks."""
    device = disk.device
    for mount in device.mounts if device else ():
        if mount.point == disk.spec.mount:
            return [option for option in MOUNT_OPTIONS if option not in mount.options]
    return []


def is_mounted(disk: Disk) -> bool:
    """Whether the disk's device is mounted at the declared path."""
    return disk.device is not None and any(
        mount.point == disk.spec.mount for mount in disk.device.mounts
    )
