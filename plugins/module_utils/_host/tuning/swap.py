# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Swap: reported, or switched off now and at boot when the inventory requires it."""

from __future__ import annotations

from functools import partial

from .host_access import Host
from .setting import Findings, Row, Spec

NAME = "swap"
FSTAB = "/etc/fstab"
DISABLE = "disable"
COMMENT = "# switched off by kafka-metal: "


def active_sources(swaps: str) -> list[str]:
    """Return devices and files in use, from the text of /proc/swaps."""
    return [line.split()[0] for line in swaps.splitlines()[1:] if line.strip()]


def fstab_sources(text: str) -> list[str]:
    """Return the sources of the swap lines of fstab."""
    lines = [line.split() for line in text.splitlines() if not line.lstrip().startswith("#")]
    return [fields[0] for fields in lines if len(fields) > 2 and fields[2] == "swap"]


def comment_out_swap(text: str) -> str:
    """Return the text of fstab with its swap lines as comments."""
    lines = text.splitlines(keepends=True)
    return "".join(COMMENT + line if fstab_sources(line) else line for line in lines)


def _disable(host: Host, devices: list[str]) -> None:
    for device in devices:
        host.swap_off(device)


def inspect(host: Host, specs: list[Spec]) -> Findings:
    """Report the swap in use now and at boot; ``disable`` switches it off."""
    found = Findings()
    for spec in specs:
        disable = spec.value == DISABLE
        live = active_sources(host.read("/proc/swaps") or "")
        fstab = host.read(FSTAB) or ""
        at_boot = fstab_sources(fstab)
        row = Row(NAME, "none", " ".join(at_boot) or "none", " ".join(live) or "none", spec.reason)
        row.persisted_ok, row.live_ok = not at_boot, not live
        row.written = not (disable and at_boot)
        if disable:
            row.apply = partial(_disable, host, live)
            if at_boot:
                found.files[FSTAB] = comment_out_swap(fstab)
        elif not row.good:
            row.detail = "host_swap: disable switches it off; swap: null in host_tuning allows it"
        found.rows.append(row)
    return found
