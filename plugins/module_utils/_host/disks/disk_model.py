# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Model of declared and found data disks; no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._common.units import size_text


@dataclass(frozen=True)
class Spec:
    """A declared disk, identified by one of ``serial``, ``wwn`` and ``path``."""

    name: str
    mount: str
    serial: str = ""
    wwn: str = ""
    path: str = ""

    @property
    def sought(self) -> str:
        """Return the identifier of the device, for messages."""
        return next(
            f"{key} {value}"
            for key, value in (("serial", self.serial), ("wwn", self.wwn), ("path", self.path))
            if value
        )

    @property
    def label(self) -> str:
        """Return the label of the file system; XFS allows 12 characters."""
        return f"km-{self.name}"[:12]


@dataclass(frozen=True)
class Owner:
    """Cluster and host that own a disk."""

    cluster: str
    host: str


@dataclass(frozen=True)
class Mount:
    """A mount point of a device, with the options of the mount."""

    point: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Device:
    """A block device as found. ``contents``: signatures of wipefs with type, uuid and label."""

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
    # Opened exclusively: mounted in a container, swap, or part of a volume group.
    busy: bool = False
    marker: Mapping[str, Any] | None = None
    # The root of its file system is empty.
    empty: bool = False
    # Error of reading it.
    fault: str = ""

    @property
    def types(self) -> list[str]:
        """Return the types of its signatures, each once."""
        return sorted({str(one.get("type")) for one in self.contents})

    @property
    def uuid(self) -> str:
        """Return the UUID of its file system, if it has no other signature."""
        return str(self.contents[0].get("uuid") or "") if len(self.contents) == 1 else ""

    def __str__(self) -> str:
        """Return node, size, and serial if there is one."""
        serial = f", serial {self.serial}" if self.serial else ""
        return f"{self.node}, {size_text(self.size)}{serial}"


@dataclass(frozen=True)
class Disk:
    """A spec with its device and action; ``found`` is the reason."""

    spec: Spec
    state: str
    action: str
    found: str
    device: Device | None = None
    # UUID that fstab has for the mount: the disk was ready before.
    known: str = ""
    allowed: str = field(default="", repr=False)

    @property
    def where(self) -> str:
        """Return name and device, for messages."""
        at = str(self.device) if self.device else self.spec.sought
        return f"{self.spec.name} ({at})"
