# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of disks; each is one step of a plan and can be repeated."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import time
import uuid as uuids

from . import disk_reserve, fstab, mount_namespace
from .data_disks import MARKER, MOUNT_OPTIONS, lacking_options
from .disk_model import Device, Disk, Owner
from .disk_plan import Guard, Step
from .immutable_flag import IMMUTABLE, SET_FLAGS, is_immutable, make_immutable, read_flags

FSTAB = "/etc/fstab"
# Packages of commands, by Debian's names; minimal systems lack the first one.
PACKAGES = {
    "mkfs.xfs": "xfsprogs",
    "wipefs": "util-linux",
    "mount": "mount",
    "umount": "mount",
    "systemctl": "systemd",
}


class DiskError(Exception):
    """A failed change; the text names the disk, the change and the reason."""


def run(*command: str) -> str:
    """Return the output of a command. Raises DiskError with its output if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        package = PACKAGES.get(command[0])
        remedy = f"; required: the package {package}" if package else ""
        raise DiskError(f"{command[0]} is not installed{remedy}") from error
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()
        raise DiskError(f"{' '.join(command)}: exit code {done.returncode}: {output}")
    return done.stdout


def read_guard(mount: str) -> Guard:
    """Inspect the mount point itself, below a file system that is mounted on it."""
    parent, name = os.path.split(mount)
    if not os.path.isdir(parent):
        return Guard()

    def inspect(place: str) -> list[int]:
        mount_namespace.mount(parent, place, flags=mount_namespace.MS_BIND)
        below = f"{place}/{name}"
        if not os.path.isdir(below):
            return [0, 0, 0]
        return [1, int(is_immutable(below)), len(os.listdir(below))]

    exists, immutable, entries = mount_namespace.run_in_mount_namespace(inspect)
    return Guard(bool(exists), bool(immutable), int(entries))


def set_guard(mount: str) -> None:
    """Create the mount point, immutable: writes fail while no disk is mounted on it."""
    parent, name = os.path.split(mount)
    os.makedirs(parent, mode=0o755, exist_ok=True)

    def change(place: str) -> bool:
        mount_namespace.mount(parent, place, flags=mount_namespace.MS_BIND)
        below = f"{place}/{name}"
        if not os.path.isdir(below):
            os.mkdir(below, 0o755)
        make_immutable(below)
        return True

    try:
        mount_namespace.run_in_mount_namespace(change)
    except OSError as error:
        raise DiskError(f"{mount} cannot be made immutable: {error.strerror}") from error


def clear_guard(mount: str) -> None:
    """Clear the immutable flag of a mount point; nothing may be mounted on it."""
    descriptor = os.open(mount, os.O_RDONLY | os.O_DIRECTORY)
    try:
        flags = read_flags(descriptor) & ~IMMUTABLE
        fcntl.ioctl(descriptor, SET_FLAGS, struct.pack("l", flags))
    finally:
        os.close(descriptor)


def read_fstab() -> str:
    """Return the text of fstab; empty when there is none."""
    try:
        # surrogateescape preserves bytes that are not UTF-8.
        with open(FSTAB, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""


def write_fstab(disks: dict[str, str]) -> None:
    """Write the lines of mounts and UUIDs to fstab, after libmount has parsed them as expected."""
    before = read_fstab()
    after = fstab.set_mount_lines(before, disks)
    if after == before:
        return
    new = f"{FSTAB}.kafka-metal"
    mode = os.stat(FSTAB).st_mode & 0o7777 if os.path.exists(FSTAB) else 0o644
    with open(
        os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode),
        "w",
        encoding="utf-8",
        errors="surrogateescape",
        newline="",
    ) as stream:
        stream.write(after)
        stream.flush()
        os.fsync(stream.fileno())
    try:
        for mount, uuid in disks.items():
            _check_fstab(new, mount, uuid)
        os.replace(new, FSTAB)
    finally:
        if os.path.exists(new):
            os.unlink(new)
    # With units of the old lines systemd would unmount a new disk when the old device vanishes.
    if os.path.isdir("/run/systemd/system"):
        run("systemctl", "daemon-reload")


def _check_fstab(path: str, mount: str, uuid: str) -> None:
    options = ["--tab-file", path, "--json", "--output", "SOURCE,FSTYPE,OPTIONS"]
    listed = json.loads(run("findmnt", *options, "--target", mount)).get("filesystems") or []
    found = [(one["source"], one["fstype"], one["options"]) for one in listed]
    wanted = [(f"UUID={uuid}", "xfs", fstab.OPTIONS)]
    if found != wanted:
        raise DiskError(f"{FSTAB} would mount {found} at {mount}; allowed: {wanted}")


def format_disk(disk: Disk, owner: Owner, user: int) -> str:
    """Format the device of a disk with XFS, write its marker and return its UUID."""
    device = _device(disk)
    if device.contents:
        run("wipefs", "--all", "--force", "--quiet", device.node)
    if device.partitions:
        run("blockdev", "--rereadpt", device.node)
    uuid = str(uuids.uuid4())
    run("mkfs.xfs", "-f", "-q", "-L", disk.spec.label, "-m", f"uuid={uuid}", device.node)

    # The marker is written before the disk is mounted at its path; unmounting flushes it.
    def mark(place: str) -> bool:
        mount_namespace.mount(device.node, place, "xfs")
        try:
            os.chown(place, user, user)
            _write_marker(place, disk, owner, uuid)
        finally:
            mount_namespace.unmount(place)
        return True

    mount_namespace.run_in_mount_namespace(mark)
    if os.path.isdir("/run/udev"):
        # Wait for the link by UUID, which fstab uses.
        subprocess.run(["udevadm", "settle", "--timeout=10"], capture_output=True, check=False)
    return uuid


def mark_disk(disk: Disk, owner: Owner) -> None:
    """Write the marker to an existing file system, mounted or not."""
    device = _device(disk)

    def mark(place: str) -> bool:
        mount_namespace.mount(device.node, place, "xfs")
        _write_marker(place, disk, owner, device.uuid)
        return True

    mount_namespace.run_in_mount_namespace(mark)


def _write_marker(folder: str, disk: Disk, owner: Owner, uuid: str) -> None:
    marker = {
        "cluster": owner.cluster,
        "host": owner.host,
        "disk": disk.spec.name,
        "uuid": uuid,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    new = f"{folder}/{MARKER}.new"
    with open(new, "w", encoding="utf-8") as stream:
        stream.write(json.dumps(marker, indent=2) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(new, f"{folder}/{MARKER}")


def mount_disk(disk: Disk) -> None:
    """Mount a disk at its declared path."""
    options = ",".join(MOUNT_OPTIONS)
    run("mount", "-t", "xfs", "-o", options, _device(disk).node, disk.spec.mount)


def remount_disk(disk: Disk) -> None:
    """Add missing options to a mount without interrupting its users."""
    run("mount", "-o", ",".join(["remount", *lacking_options(disk)]), disk.spec.mount)


def apply(step: Step, owner: Owner, user: int, uuids_by_name: dict[str, str]) -> None:
    """Apply one step; add UUIDs of new file systems to ``uuids_by_name``. Raises DiskError."""
    disk = step.disk
    name = disk.spec.name
    try:
        if step.kind == "format":
            uuids_by_name[name] = format_disk(disk, owner, user)
        elif step.kind == "mark":
            mark_disk(disk, owner)
        elif step.kind == "guard":
            set_guard(disk.spec.mount)
        elif step.kind == "fstab":
            write_fstab({disk.spec.mount: uuids_by_name.get(name) or _device(disk).uuid})
        elif step.kind == "mount":
            mount_disk(disk)
        elif step.kind == "remount":
            remount_disk(disk)
        elif step.kind == "reserve":
            disk_reserve.allocate(disk.spec.mount, step.size)
    except (DiskError, OSError) as error:
        raise DiskError(f"{disk.where}: {step.text}: {error}") from error


def _device(disk: Disk) -> Device:
    if disk.device is None:
        raise DiskError(f"no device of this machine has {disk.spec.sought}")
    return disk.device
