# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Data disks as they are declared and as they are found; no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._common.units import size_text


@dataclass(frozen=True)
class Spec:
    """A disk as the inventory declares it: found by one of ``serial``, ``wwn`` and ``path``."""

    name: str
    mount: str
    serial: str = ""
    wwn: str = ""
    path: str = ""

    @property
    def sought(self) -> str:
        """How the device is found, for messages."""
        return next(
            f"{key} {value}"
            for key, value in (("serial", self.serial), ("wwn", self.wwn), ("path", self.path))
            if value
        )

    @property
    def label(self) -> str:
        """Label of the file system; XFS has room for 12 characters."""
        return f"km-{self.name}"[:12]


@dataclass(frozen=True)
class Owner:
    """Whose disks these are."""

    cluster: str
    host: str


@dataclass(frozen=True)
class Mount:
    """A place where a device is mounted, with the options of the mount."""

    point: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Device:
    """A block device as found. ``contents`` are what wipefs lists: type, uuid and label each."""

    node: str
    size: int = 0
    serial: str = ""
    wwn: str = ""
    rotational: bool = False
    read_only: bool = False
    partitions: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    contents: tuple[Mapping[str, Any], ...] = ()
    mounts: tuple[Mount, ...] = ()
    # Somebody has it open for himself alone: mounted in a container, swap, a volume group.
    busy: bool = False
    marker: Mapping[str, Any] | None = None
    # Nothing lies in the root of its file system.
    empty: bool = False
    # Why it could not be read.
    fault: str = ""

    @property
    def types(self) -> list[str]:
        """Kinds of what it carries, each once."""
        return sorted({str(one.get("type")) for one in self.contents})

    @property
    def uuid(self) -> str:
        """UUID of its file system, when that is all it carries."""
        return str(self.contents[0].get("uuid") or "") if len(self.contents) == 1 else ""

    def __str__(self) -> str:
        """Node and size, and the serial where there is one."""
        serial = f", serial {self.serial}" if self.serial else ""
        return f"{self.node}, {size_text(self.size)}{serial}"


@dataclass(frozen=True)
class Disk:
    """A spec with its device and what is to be done; ``found`` explains it."""

    spec: Spec
    state: str
    action: str
    found: str
    device: Device | None = None
    # UUID that fstab has for the mount: the disk was ready once.
    known: str = ""
    wanted: str = field(default="", repr=False)

    @property
    def where(self) -> str:
        """Name and device, for messages."""
        at = str(self.device) if self.device else self.spec.sought
        return f"{self.spec.name} ({at})"
