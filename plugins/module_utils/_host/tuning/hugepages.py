# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Transparent huge pages: files in /sys, written at boot by systemd-tmpfiles."""

from __future__ import annotations

import re
from functools import partial

from .host_access import Host
from .setting import Look, Row, Spec, comment

FILE = "/etc/tmpfiles.d/kafka-metal.conf"
FOLDERS = ("/etc/tmpfiles.d", "/run/tmpfiles.d", "/usr/lib/tmpfiles.d")
PREFIX = "transparent_hugepage."
SYSFS = "/sys/kernel/mm/transparent_hugepage/"


def chosen(text: str) -> str:
    """The value in use of a file that offers several: always [madvise] never."""
    match = re.search(r"\[([^\]]+)\]", text)
    return match[1] if match else text.strip()


def offered(text: str) -> list[str]:
    """All values that a file offers."""
    return text.replace("[", " ").replace("]", " ").split()


def writes(text: str) -> dict[str, str]:
    """Values by path that a tmpfiles.d file writes at boot."""
    found = {}
    for line in text.splitlines():
        words = line.split(None, 6)
        if len(words) == 7 and words[0].rstrip("!-+^=~") == "w":
            found[words[1]] = words[6].strip()
    return found


def look(host: Host, specs: list[Spec]) -> Look:
    """Compare huge pages and what a boot writes with the specs."""
    found = Look()
    own = writes(host.read(FILE) or "")
    for spec in specs:
        path = SYSFS + spec.name[len(PREFIX) :]
        text = host.read(path)
        live = chosen(text) if text is not None else ""
        row = Row(spec.name, spec.value, own.get(path, ""), live, spec.reason)
        row.written = row.persisted_ok = row.persisted == spec.value
        row.live_ok = live == spec.value
        row.absent = text is None
        if text is None:
            row.detail = "this kernel has no transparent huge pages"
        elif spec.value not in offered(text):
            row.refused = f"Invalid argument: {path} offers {', '.join(offered(text))}"
        elif not row.live_ok and not host.may_write(path):
            row.refused = f"Permission denied: {path}"
        row.apply = partial(host.write_live, path, spec.value)
        _others(host, row, path, spec.value)
        found.rows.append(row)
    found.files[FILE] = render(specs) if specs else None
    return found


def _others(host: Host, row: Row, path: str, wanted: str) -> None:
    """Name another file that writes the same path, or a boot that reads none of them."""
    for folder in FOLDERS:
        for name in host.names(folder):
            file = f"{folder}/{name}"
            value = writes(host.read(file) or "").get(path) if file != FILE else None
            if value is not None and value != wanted:
                row.persisted_ok = False
                row.detail = row.detail or f"{file} writes {value} at boot as well"
    if not host.systemd() and not row.absent:
        row.detail = row.detail or "without systemd nothing writes it at boot"


def render(specs: list[Spec]) -> str:
    """The tmpfiles.d file."""
    head = "# Written by kafka-metal; set host_tuning in the inventory. See docs/operate/guides/tuning.md\n"
    lines = [
        f"\n{comment(spec.reason)}w {SYSFS}{spec.name[len(PREFIX) :]} - - - - {spec.value}\n"
        for spec in specs
    ]
    return head + "".join(lines)
