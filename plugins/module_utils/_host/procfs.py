# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a Linux machine says of itself under /proc and /etc.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

_ESCAPED = re.compile(r"\\([0-7]{3})")
_LOCAL_ADDRESS = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


def system(os_release: str) -> dict[str, str]:
    """``id``, ``version`` and ``name`` from the text of /etc/os-release."""
    pairs = (line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    values = {key.strip(): value.strip().strip("\"'") for key, value in pairs}
    name = values.get("PRETTY_NAME") or values.get("NAME") or "an unnamed system"
    return {"id": values.get("ID", ""), "version": values.get("VERSION_ID", ""), "name": name}


def memory(meminfo: str) -> int:
    """Bytes of memory from the text of /proc/meminfo."""
    match = re.search(r"^MemTotal:\s+(\d+) kB", meminfo, re.MULTILINE)
    if match is None:
        raise ValueError("/proc/meminfo has no MemTotal")
    return int(match[1]) * 1024


def local_addresses(fib_trie: str) -> list[str]:
    """IPv4 addresses of the machine from /proc/net/fib_trie, without loopback."""
    found = set(_LOCAL_ADDRESS.findall(fib_trie))
    return sorted(address for address in found if not address.startswith("127."))


def mounts(mountinfo: str) -> dict[str, tuple[str, str]]:
    """Device number and source of each mount point, from /proc/self/mountinfo."""
    found = {}
    for line in mountinfo.splitlines():
        fields = line.split()
        source = fields[fields.index("-") + 2] if "-" in fields else ""
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
        # A later line covers an earlier one.
        found[point] = (fields[2], source)
    return found


def mount_of(path: str, points: Iterable[str]) -> str:
    """The mount point that holds the absolute ``path``: the longest that is one of its parents."""
    holding = [p for p in points if path == p or path.startswith(p.rstrip("/") + "/")]
    return max(holding, key=len, default="/")


def place(path: str, table: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Mount point, device, free and total bytes of ``path``, or of its nearest existing parent.

    ``system`` says that it lies on the file system of /. ``table`` is what mounts() returns.
    """
    real = os.path.realpath(path)
    while not os.path.exists(real):
        real = os.path.dirname(real)
    mount, space = mount_of(real, table), os.statvfs(real)
    number, source = table.get(mount, ("", ""))
    return {
        "mount": mount,
        "device": source,
        "system": number == table.get("/", ("/", ""))[0],
        "free": space.f_bavail * space.f_frsize,
        "total": space.f_blocks * space.f_frsize,
    }


def read(path: str) -> str:
    """Text of a small file."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
