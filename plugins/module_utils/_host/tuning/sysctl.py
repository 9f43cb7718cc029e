# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Kernel parameters in /proc/sys, and the files that set them at boot."""

from __future__ import annotations

import errno
import fnmatch
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from .host_access import Host
from .setting import AT_LEAST, Findings, Row, Spec, comment, satisfies

FILE = "/etc/sysctl.d/90-kafka-metal.conf"

# Directories of sysctl.d(5); of two files with the same name the earlier directory counts.
FOLDERS = (
    "/etc/sysctl.d",
    "/run/sysctl.d",
    "/usr/local/lib/sysctl.d",
    "/usr/lib/sysctl.d",
    "/lib/sysctl.d",
)

# Setting one of a pair resets the other.
RIVALS = {
    "vm.dirty_bytes": "vm.dirty_ratio",
    "vm.dirty_ratio": "vm.dirty_bytes",
    "vm.dirty_background_bytes": "vm.dirty_background_ratio",
    "vm.dirty_background_ratio": "vm.dirty_background_bytes",
}

HEADER = (
    "# Written by kafka-metal; manual changes are overwritten. Set host_tuning in the inventory\n"
    "# instead. Reasons and how to verify: docs/operate/guides/tuning.md\n"
)


@dataclass(frozen=True)
class Line:
    """An assignment in a file that is read at boot."""

    file: str
    key: str
    value: str


def parse(text: str, file: str = "") -> list[Line]:
    """Return the assignments of a sysctl.d file, without comments and lines that exclude a key."""
    found = []
    for line in text.splitlines():
        entry = line.strip()
        if not entry or entry[0] in "#;" or "=" not in entry:
            continue
        key, value = entry.lstrip("-").split("=", 1)
        found.append(Line(file, _dotted(key.strip()), " ".join(value.split())))
    return found


def _dotted(key: str) -> str:
    """Return a key with dots: net/ipv4/ip_forward is net.ipv4.ip_forward."""
    first = next((c for c in key if c in "./"), ".")
    return key.replace("/", "\0").replace(".", "/").replace("\0", ".") if first == "/" else key


def sysctl_path(key: str) -> str:
    """Return the file of a key in /proc/sys; a slash in a key is a dot in a file name."""
    return "/proc/sys/" + key.replace(".", "\0").replace("/", ".").replace("\0", "/")


def boot_lines(host: Host) -> list[Line]:
    """Return all assignments in the order in which a boot applies them."""
    files: dict[str, str] = {}
    for folder in FOLDERS:
        for name in host.names(folder):
            if name.endswith(".conf"):
                files.setdefault(name, f"{folder}/{name}")
    ordered = [files[name] for name in sorted(files)]
    # procps reads it last; systemd reads it only through a link in sysctl.d.
    if not host.systemd() and host.exists("/etc/sysctl.conf"):
        ordered.append("/etc/sysctl.conf")
    return [line for path in ordered for line in parse(host.read(path) or "", path)]


def last_assignment(lines: Iterable[Line], key: str) -> Line | None:
    """Return the last assignment to a key or to its rival, which resets the key."""
    deciding = None
    for line in lines:
        if fnmatch.fnmatchcase(key, line.key) or line.key == RIVALS.get(key):
            deciding = line
    return deciding


def inspect(host: Host, specs: list[Spec]) -> Findings:
    """Compare kernel parameters and the files read at boot with the specs."""
    lines, found = boot_lines(host), Findings()
    command_line = (host.read("/proc/cmdline") or "").split()
    kept = []
    for spec in specs:
        row, in_own_file = _row(host, spec, lines)
        rival = [w for w in command_line if w.startswith(f"sysctl.{spec.name}=")]
        if rival and rival[-1].split("=", 1)[1] != spec.value:
            row.detail = row.detail or f"the kernel command line sets {rival[-1]}"
        found.rows.append(row)
        if in_own_file:
            kept.append(spec)
    found.files[FILE] = render(kept) if kept else None
    return found


def _row(host: Host, spec: Spec, lines: list[Line]) -> tuple[Row, bool]:
    """Return the row of one parameter, and whether kafka-metal's file has to set it."""
    path = sysctl_path(spec.name)
    text = host.read(path)
    live = None if text is None else " ".join(text.split())
    own = last_assignment((line for line in lines if line.file == FILE), spec.name)
    foreign = last_assignment((line for line in lines if line.file != FILE), spec.name)
    deciding = last_assignment(lines, spec.name)
    in_own_file = not (
        spec.rule == AT_LEAST
        and own is None
        and _exceeds_spec(foreign.value if foreign else None, live, spec)
    )
    row = Row(spec.name, spec.value, deciding.value if deciding else "", live or "", spec.reason)
    if deciding and deciding.key == RIVALS.get(spec.name):
        row.persisted = f"{deciding.key}={deciding.value}"
    row.written = not in_own_file or (own is not None and own.value == spec.value)
    row.persisted_ok = not in_own_file or satisfies(row.persisted, spec.value, spec.rule)
    row.live_ok = satisfies(live, spec.value, spec.rule)
    row.absent = not host.exists(path)
    if row.absent:
        row.detail = f"this kernel, or this container, has no {path}"
    elif not row.live_ok and not host.may_write(path):
        row.refused = os.strerror(errno.EACCES) + f": {path}"
    if not in_own_file and not row.persisted:
        row.persisted = "kernel's own"
    if own and deciding and deciding.file != FILE and not row.persisted_ok:
        row.detail = f"{deciding.file} is read later and sets {deciding.key} = {deciding.value}"
    row.apply = partial(host.write_live, path, spec.value)
    return row, in_own_file


def _exceeds_spec(foreign: str | None, live: str | None, spec: Spec) -> bool:
    """Whether another file, or the kernel's default, sets more than the spec requires.

    Setting it in kafka-metal's file would lower the value at the next boot.
    """
    if foreign is not None:
        return satisfies(foreign, spec.value, AT_LEAST)
    return live != spec.value and satisfies(live, spec.value, AT_LEAST)


def render(specs: list[Spec]) -> str:
    """Return the text of the sysctl.d file; each value with its reason."""
    parts = [f"\n{comment(spec.reason)}{spec.name} = {spec.value}\n" for spec in specs]
    return HEADER + "".join(parts)
