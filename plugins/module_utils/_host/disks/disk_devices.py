# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Block devices as the kernel, udev and wipefs report them. Read only."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .. import mount_table
from .data_disks import same_identifier
from .disk_contents import contents, read_marker
from .disk_model import Device, Mount, Spec

# Sources of serial numbers and WWNs by kind of device: virtio, NVMe, SCSI and SATA, Xen.
_SERIAL_FILES = ("serial", "device/serial")
_WWN_FILES = ("wwid", "device/wwid", "dm/uuid")
_UDEV_SERIALS = ("ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "ID_SERIAL", "DM_SERIAL")
_UDEV_WWNS = ("ID_WWN_WITH_EXTENSION", "ID_WWN", "DM_WWN")
# Never a data disk: memory, optical drives, floppies.
_NO_DISKS = re.compile(r"(ram|zram|sr|fd)\d+")
_SECTOR = 512


@dataclass(frozen=True)
class KernelDevice:
    """A device in the kernel's device tree, with its identifiers."""

    number: str
    folder: str
    serials: tuple[str, ...] = ()
    wwns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the kernel's name, such as sda."""
        return os.path.basename(self.folder)


class BlockDevices:
    """All block devices of this machine; tests use other directories."""

    def __init__(self, sys: str = "/sys", udev: str = "/run/udev/data", dev: str = "/dev") -> None:
        """Set the directories; read nothing yet."""
        self._sys, self._udev, self._dev = sys, udev, dev

    def places(self) -> Iterator[KernelDevice]:
        """All whole disks, including multipath devices."""
        root = f"{self._sys}/block"
        for name in sorted(os.listdir(root)):
            folder = f"{root}/{name}"
            # NVMe has a hidden entry for each path of a disk, in addition to the disk.
            if _NO_DISKS.fullmatch(name) or _text(f"{folder}/hidden") == "1":
                continue
            if _text(f"{folder}/size") in ("", "0"):
                continue
            yield self._place(folder)

    def _place(self, folder: str) -> KernelDevice:
        number = _text(f"{folder}/dev")
        facts = self._udev_facts(number)
        serials = [_text(f"{folder}/{file}") for file in _SERIAL_FILES]
        serials += [_vital_product_data(f"{folder}/device/vpd_pg80")]
        serials += [facts.get(key, "") for key in _UDEV_SERIALS]
        wwns = [facts.get(key, "") for key in _UDEV_WWNS]
        wwns += [_text(f"{folder}/{file}") for file in _WWN_FILES]
        return KernelDevice(number, folder, _unique(serials), _unique(wwns))

    def _udev_facts(self, number: str) -> dict[str, str]:
        lines = _text(f"{self._udev}/b{number}").splitlines()
        pairs = (
            line[2:].partition("=")[::2] for line in lines if line.startswith("E:") and "=" in line
        )
        return dict(pairs)

    def find(self, spec: Spec) -> list[KernelDevice]:
        """Return the devices that match a spec: none, one, or several with the same identifier."""
        if spec.path:
            return self._at(spec.path)
        sought = spec.serial or spec.wwn
        found = [
            place
            for place in self.places()
            if any(
                same_identifier(sought, each)
                for each in (place.serials if spec.serial else place.wwns)
            )
        ]
        # A multipath disk is represented by the device above its paths.
        names = {place.name for place in found}
        return [place for place in found if not names & set(_entries(f"{place.folder}/holders"))]

    def _at(self, path: str) -> list[KernelDevice]:
        try:
            status = os.stat(path)
        except OSError:
            return []
        if not stat.S_ISBLK(status.st_mode):
            return []
        number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
        folder = os.path.realpath(f"{self._sys}/dev/block/{number}")
        if _text(f"{folder}/size") in ("", "0"):
            return []
        return [self._place(folder)]

    def node(self, place: KernelDevice, path: str = "") -> str:
        """Return the node of a device: the target of ``path``, or the kernel's own name."""
        if path:
            return os.path.realpath(path)
        own = f"{self._dev}/{place.name.replace('!', '/')}"
        return own if os.path.exists(own) else f"{self._dev}/block/{place.number}"

    def device(self, place: KernelDevice, path: str, mounts: list[tuple[str, Mount]]) -> Device:
        """Inspect a device; ``mounts`` is the result of parse_mounts()."""
        folder, node = place.folder, self.node(place, path)
        queue = f"{folder}/queue" if os.path.isdir(f"{folder}/queue") else f"{folder}/../queue"
        device = Device(
            node=node,
            size=int(_text(f"{folder}/size") or 0) * _SECTOR,
            serial=next(iter(place.serials), ""),
            wwn=next(iter(place.wwns), ""),
            rotational=_text(f"{queue}/rotational") == "1",
            read_only=_text(f"{folder}/ro") == "1",
            partitions=tuple(
                name for name in _entries(folder) if os.path.exists(f"{folder}/{name}/partition")
            ),
            holders=tuple(_entries(f"{folder}/holders")),
            mounts=tuple(mount for number, mount in mounts if number == place.number),
            busy=_is_busy(node),
        )
        try:
            device = replace(device, contents=contents(node))
            if device.types == ["xfs"]:
                marker, empty = read_marker(device)
                device = replace(device, marker=marker, empty=empty)
        except OSError as error:
            device = replace(device, fault=error.strerror or str(error))
        return device

    def unused(self) -> list[Device]:
        """Return blank disks that are not in use: candidates for a mistyped identifier."""
        numbers = {
            f"{os.major(entry.rdev)}:{os.minor(entry.rdev)}": entry.node
            for entry in sorted(_nodes(self._dev), key=lambda entry: entry.node, reverse=True)
            # Loop devices are usually files of other software, unless they have another name.
            if not re.match(r"(loop|dm-)\d+$", os.path.basename(entry.node))
        }
        found = []
        for place in self.places():
            if place.number in numbers:
                device = self.device(place, numbers[place.number], parse_mounts())
                if not (device.contents or device.partitions or device.busy or device.fault):
                    found.append(device)
        return found


@dataclass(frozen=True)
class _Node:
    node: str
    rdev: int


def _nodes(dev: str) -> Iterator[_Node]:
    for entry in os.scandir(dev):
        with contextlib.suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISBLK(status.st_mode):
                yield _Node(entry.path, status.st_rdev)


def parse_mounts(mountinfo: str = mount_table.OWN) -> list[tuple[str, Mount]]:
    """Return device number and mount of every mount, in order; later ones cover earlier ones."""
    found = []
    for row in mount_table.rows(_text(mountinfo)):
        # Either the mount or the file system may have ro.
        options = row.options.split(",") + (["ro"] if "ro" in row.system_options.split(",") else [])
        found.append((row.device, Mount(row.point, tuple(options))))
    return found


def _is_busy(node: str) -> bool:
    """Whether the kernel denies exclusive access to the device."""
    try:
        os.close(os.open(node, os.O_RDONLY | os.O_EXCL))
    except OSError as error:
        return error.errno == errno.EBUSY
    return False


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def _vital_product_data(path: str) -> str:
    """Return the serial number from SCSI VPD page 80: four bytes, then text."""
    try:
        with open(path, "rb") as stream:
            return stream.read()[4:].decode("ascii", "replace").strip("\0 ")
    except OSError:
        return ""


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
