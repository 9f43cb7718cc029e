# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Transparent huge pages: files in /sys, written at boot by systemd-tmpfiles."""

from __future__ import annotations

import re
from functools import partial

from .host_access import Host
from .setting import Findings, Row, Spec, comment

FILE = "/etc/tmpfiles.d/kafka-metal.conf"
FOLDERS = ("/etc/tmpfiles.d", "/run/tmpfiles.d", "/usr/lib/tmpfiles.d")
PREFIX = "transparent_hugepage."
SYSFS = "/sys/kernel/mm/transparent_hugepage/"


def selected_value(text: str) -> str:
    """Return the selected value of a text such as ``always [madvise] never``."""
    match = re.search(r"\[([^\]]+)\]", text)
    return match[1] if match else text.strip()


def available_values(text: str) -> list[str]:
    """Return all values of such a text."""
    return text.replace("[", " ").replace("]", " ").split()


def boot_values(text: str) -> dict[str, str]:
    """Return the values that a tmpfiles.d file writes at boot, by path."""
    found = {}
    for line in text.splitlines():
        fields = line.split(None, 6)
        if len(fields) == 7 and fields[0].rstrip("!-+^=~") == "w":
            found[fields[1]] = fields[6].strip()
    return found


def inspect(host: Host, specs: list[Spec]) -> Findings:
    """Compare the live settings and those written at boot with the specs."""
    found = Findings()
    own = boot_values(host.read(FILE) or "")
    for spec in specs:
        path = SYSFS + spec.name[len(PREFIX) :]
        text = host.read(path)
        live = selected_value(text) if text is not None else ""
        row = Row(spec.name, spec.value, own.get(path, ""), live, spec.reason)
        row.written = row.persisted_ok = row.persisted == spec.value
        row.live_ok = live == spec.value
        row.absent = text is None
        if text is None:
            row.detail = "this kernel has no transparent huge pages"
        elif spec.value not in available_values(text):
            row.refused = f"Invalid argument: {path} offers {', '.join(available_values(text))}"
        elif not row.live_ok and not host.may_write(path):
            row.refused = f"Permission denied: {path}"
        row.apply = partial(host.write_live, path, spec.value)
        _others(host, row, path, spec.value)
        found.rows.append(row)
    found.files[FILE] = render(specs) if specs else None
    return found


def _others(host: Host, row: Row, path: str, wanted: str) -> None:
    """Name another file that writes the same path, or the lack of systemd."""
    for folder in FOLDERS:
        for name in host.names(folder):
            file = f"{folder}/{name}"
            value = boot_values(host.read(file) or "").get(path) if file != FILE else None
            if value is not None and value != wanted:
                row.persisted_ok = False
                row.detail = row.detail or f"{file} writes {value} at boot too"
    if not host.systemd() and not row.absent:
        row.detail = row.detail or "without systemd no service writes it at boot"


def render(specs: list[Spec]) -> str:
    """Return the text of the tmpfiles.d file."""
    head = (
        "# Written by kafka-metal; set host_tuning in the inventory. "
        "See docs/operate/guides/tuning.md\n"
    )
    lines = [
        f"\n{comment(spec.reason)}w {SYSFS}{spec.name[len(PREFIX) :]} - - - - {spec.value}\n"
        for spec in specs
    ]
    return head + "".join(lines)
