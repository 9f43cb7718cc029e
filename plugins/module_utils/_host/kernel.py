# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Limits and clock of the kernel.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any

# Allows a process to raise its hard limits, up to those of the kernel.
_CAP_SYS_RESOURCE = 24
_STA_UNSYNC = 0x40


def hard_open_files(limits: str, nr_open: int) -> int:
    """Return the hard limit of open files in the text of /proc/PID/limits."""
    match = re.search(r"^Max open files\s+\S+\s+(\S+)", limits, re.MULTILINE)
    if match is None:
        raise ValueError("/proc/PID/limits has no limit of open files")
    return nr_open if match[1] == "unlimited" else int(match[1])


def may_raise_limits(status: str) -> bool:
    """Whether a process may raise its own hard limits, from the text of /proc/PID/status."""
    match = re.search(r"^CapEff:\s+([0-9a-f]+)", status, re.MULTILINE)
    return match is not None and bool(int(match[1], 16) >> _CAP_SYS_RESOURCE & 1)


def open_files(limits: str, status: str, nr_open: int) -> int:
    """Return the highest limit of open files that a process can set for its children."""
    return nr_open if may_raise_limits(status) else min(hard_open_files(limits, nr_open), nr_open)


def swap_bytes(swaps: str) -> int:
    """Return the total bytes of swap space, from the text of /proc/swaps."""
    rows = [line.split() for line in swaps.splitlines()[1:]]
    return sum(int(row[-3]) * 1024 for row in rows if len(row) >= 5)


def cgroup(filesystems: str, controllers_v2: str | None, table_v1: str) -> dict[str, Any]:
    """Return the version of control groups, and whether memory can be limited.

    ``controllers_v2`` is the text of /sys/fs/cgroup/cgroup.controllers or None, ``table_v1`` that
    of /proc/cgroups.
    """
    if controllers_v2 is not None:
        return {"version": 2, "memory": "memory" in controllers_v2.split()}
    rows = [line.split() for line in table_v1.splitlines() if not line.startswith("#")]
    enabled = {row[0] for row in rows if len(row) == 4 and row[3] == "1"}
    return {"version": 1 if "cgroup" in filesystems else 0, "memory": "memory" in enabled}


def port_ranges(text: str) -> list[list[int]]:
    """Return first and last port of each range in a list such as 22,8080-8090."""
    found = []
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            found.append([int(first), int(last or first)])
    return found


class _Timex(ctypes.Structure):
    """The first members of struct timex; ``rest`` has room for the others."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    )


def is_clock_synchronised() -> bool | None:
    """Whether the kernel's clock is synchronized; None if it is unknown."""
    timex = _Timex()
    try:
        result = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError):
        return None
    return None if result < 0 else not timex.status & _STA_UNSYNC


def engine_process(proc: str = "/proc") -> str:
    """Return the PID of the container engine; 1 if it does not run.

    Engines inside containers of this machine do not count.
    """
    for pid in filter(str.isdigit, os.listdir(proc)):
        try:
            with open(f"{proc}/{pid}/comm", encoding="utf-8", errors="replace") as stream:
                named = stream.read().strip() == "dockerd"
            if named and _namespace(proc, pid) == _namespace(proc, "self"):
                return pid
        except OSError:
            # The process has ended.
            continue
    return "1"


def _namespace(proc: str, pid: str) -> str | None:
    try:
        return os.readlink(f"{proc}/{pid}/ns/pid")
    except FileNotFoundError:
        return None
