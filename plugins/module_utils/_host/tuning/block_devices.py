# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Scheduler and readahead of data disks, and their mount options."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial

from .. import mount_table
from ..disks import fstab
from .host_access import Host
from .hugepages import available_values, selected_value
from .setting import Findings, Row, Spec

# After 60-persistent-storage.rules, which sets the ID_FS_UUID that this file's rules match.
FILE = "/etc/udev/rules.d/90-kafka-metal.rules"
PREFIX = "disk."
MOUNT_OPTIONS = "mount.options"
HEADER = (
    "# Written by kafka-metal; set host_tuning in the inventory. "
    "See docs/operate/guides/tuning.md\n"
)

_BLOCK = re.compile(r"^# (/\S*)\n(ACTION.*\n)", re.MULTILINE)
_ATTRIBUTE = re.compile(r'ATTR\{(?:\.\./)?queue/(\w+)\}="([^"]*)"')


@dataclass(frozen=True)
class Disk:
    """The disk of a data directory; ``queue`` is the directory of its settings in /sys."""

    path: str
    mount: str
    device: str
    queue: str
    partition: bool
    rotational: bool


def find_disks(host: Host, paths: list[str]) -> tuple[list[Disk], list[str]]:
    """Return the disks of data directories, each once, and the directories without own disk."""
    table = mount_table.mounts_by_point(host.read(mount_table.OWN) or "")
    system = table["/"].device if "/" in table else ""
    found: dict[str, Disk] = {}
    without = []
    for path in paths:
        mount = mount_table.mount_point_of(path, table)
        if mount == "/" or table[mount].device == system:
            without.append(path)
            continue
        number = table[mount].device
        node = os.path.realpath(host.at(f"/sys/dev/block/{number}"))
        partition = os.path.exists(f"{node}/partition")
        whole = os.path.dirname(node) if partition else node
        queue = os.path.join(os.path.relpath(whole, host.root), "queue")
        rotational = (host.read(f"/{queue}/rotational") or "0").strip() == "1"
        found.setdefault(
            number, Disk(path, mount, table[mount].source, f"/{queue}", partition, rotational)
        )
    return list(found.values()), without


def inspect(host: Host, specs: list[Spec], paths: list[str]) -> Findings:
    """Compare the data disks with the specs for rotational or solid-state disks."""
    disks, without = find_disks(host, paths)
    before = dict(_BLOCK.findall(host.read(FILE) or ""))
    found, blocks = Findings(), {}
    for path in without if specs else []:
        detail = f"{path} is on the file system of /: it has no disk, or the disk is not mounted"
        found.rows.append(Row(f"disk of {path}", "mounted", "", "", absent=True, detail=detail))
        # Keep the rule of a disk that is not mounted: the disk may come back.
        if path in before:
            blocks[path] = before[path]
    for disk in disks:
        kind = "rotational" if disk.rotational else "solid"
        wanted = {spec.name.split(".")[1]: spec for spec in specs if spec.name.endswith(f".{kind}")}
        uuid = host.uuid_of(disk.device) if wanted else ""
        persisted = dict(_ATTRIBUTE.findall(before.get(disk.path, "")))
        if f'"{uuid}"' not in before.get(disk.path, ""):
            persisted = {}
        for attribute, spec in wanted.items():
            row = _row(host, disk, attribute, spec, persisted.get(attribute, ""))
            if not uuid:
                row.detail = row.detail or f"{disk.device} has no UUID: no udev rule can match it"
            found.rows.append(row)
        if uuid and wanted:
            blocks[disk.path] = udev_rule(
                uuid, disk.partition, {a: w.value for a, w in wanted.items()}
            )
    # In declared order: the file is the same after a disk was missing for some time.
    text = "".join(f"\n# {path}\n{blocks[path]}" for path in paths if path in blocks)
    found.files[FILE] = HEADER + text if text else None
    return found


def _row(host: Host, disk: Disk, attribute: str, spec: Spec, persisted: str) -> Row:
    """Return the row for one attribute of one disk."""
    path = f"{disk.queue}/{attribute}"
    text = host.read(path)
    live = selected_value(text) if text is not None else ""
    row = Row(f"{attribute} {disk.mount}", spec.value, persisted, live, spec.reason)
    row.written = row.persisted_ok = persisted == spec.value
    row.live_ok, row.absent = live == spec.value, text is None
    if text is None:
        row.detail = f"{disk.device} has no {attribute}"
    elif attribute == "scheduler" and spec.value not in available_values(text):
        row.refused = f"Invalid argument: {path} offers {', '.join(available_values(text))}"
    elif not row.live_ok and not host.may_write(path):
        row.refused = f"Permission denied: {path}"
    row.apply = partial(host.write_live, path, spec.value)
    return row


def udev_rule(uuid: str, partition: bool, attributes: dict[str, str]) -> str:
    """Return the udev rule for a disk by file system UUID: names such as sdb may change."""
    queue = "../queue" if partition else "queue"
    sets = ", ".join(f'ATTR{{{queue}/{name}}}="{value}"' for name, value in attributes.items())
    match = f'ACTION=="add|change", SUBSYSTEM=="block", ENV{{ID_FS_UUID}}=="{uuid}"'
    return f"{match}, {sets}\n"


def inspect_mounts(host: Host, specs: list[Spec], paths: list[str]) -> Findings:
    """Compare mount options of data disks with the specs; they are reported, never changed."""
    found = Findings()
    if not specs:
        return found
    spec = specs[0]
    wanted = set(spec.value.split(","))
    live = mount_table.mounts_by_point(host.read(mount_table.OWN) or "")
    table = (host.read("/etc/fstab") or "").splitlines()
    persisted = {
        point: line.split()[3]
        for line in table
        if (point := fstab.mount_point(line)) and len(line.split()) > 3
    }
    for disk in find_disks(host, paths)[0]:
        options, system = live[disk.mount].options, live[disk.mount].kind
        at_boot = persisted.get(disk.mount, "")
        row = Row(f"mount {disk.mount}", spec.value, _only(at_boot, wanted), "", spec.reason)
        row.live = _only(options, wanted)
        row.persisted_ok = wanted <= set(at_boot.split(","))
        row.live_ok = wanted <= set(options.split(","))
        if not row.good:
            row.detail = f"{system}; live {options}; /etc/fstab {at_boot or 'has no line'}"
        found.rows.append(row)
    return found


def _only(options: str, wanted: set[str]) -> str:
    """Return the desired ones among the options, to keep the table short."""
    return ",".join(o for o in sorted(wanted) if o in options.split(","))
