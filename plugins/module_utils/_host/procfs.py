# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a Linux machine from /proc and /etc.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import re

_LOCAL_ADDRESS = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


def system(os_release: str) -> dict[str, str]:
    """Return ``id``, ``version`` and ``name`` from the text of /etc/os-release."""
    pairs = (line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    values = {key.strip(): value.strip().strip("\"'") for key, value in pairs}
    name = values.get("PRETTY_NAME") or values.get("NAME") or "an unnamed system"
    return {"id": values.get("ID", ""), "version": values.get("VERSION_ID", ""), "name": name}


def memory(meminfo: str) -> int:
    """Return bytes of memory from the text of /proc/meminfo."""
    match = re.search(r"^MemTotal:\s+(\d+) kB", meminfo, re.MULTILINE)
    if match is None:
        raise ValueError("/proc/meminfo has no MemTotal")
    return int(match[1]) * 1024


def local_addresses(fib_trie: str) -> list[str]:
    """Return IPv4 addresses from the text of /proc/net/fib_trie, without loopback."""
    found = set(_LOCAL_ADDRESS.findall(fib_trie))
    return sorted(address for address in found if not address.startswith("127."))


def read(path: str) -> str:
    """Return the text of a small file."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
