# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who is connected to ports of this machine, as its kernel tells it.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
from collections.abc import Iterable

# Of a row in /proc/net/tcp, see the kernel's net/tcp_states.h.
ESTABLISHED = "01"
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def address(text: str) -> tuple[str, int]:
    """Address and port out of ``0100007F:2384``: words in the processor's order, hex port."""
    words, _, port = text.partition(":")
    packed = b"".join(
        struct.pack("=I", int(words[at : at + 8], 16)) for at in range(0, len(words), 8)
    )
    found = ipaddress.ip_address(packed)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found), int(port, 16)


def connected(table: str, ports: Iterable[int]) -> list[tuple[int, str]]:
    """Port, and address of the other side, of each connection to ``ports`` in a kernel's table."""
    wanted = set(ports)
    rows = [line.split() for line in table.splitlines()[1:]]
    found = []
    for row in rows:
        if len(row) < 4 or row[3] != ESTABLISHED:
            continue
        port = int(row[1].rpartition(":")[2], 16)
        if port in wanted:
            found.append((port, address(row[2])[0]))
    return found


def look(ports: Iterable[int]) -> dict[int, dict[str, int]]:
    """By port, how many connections each address has to it."""
    wanted = list(ports)
    found: dict[int, dict[str, int]] = {}
    for path in TABLES:
        try:
            with open(path, encoding="ascii") as stream:
                text = stream.read()
        except FileNotFoundError:
            # A kernel without IPv6.
            continue
        for port, peer in connected(text, wanted):
            counts = found.setdefault(port, {})
            counts[peer] = counts.get(peer, 0) + 1
    return found


def resolved(names: Iterable[str]) -> list[str]:
    """Addresses of ``names`` as this machine resolves them, sorted; none of a name without any."""
    found: set[str] = set()
    for name in names:
        try:
            answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except OSError:
            continue
        # A link-local address carries its interface after a percent sign.
        found.update(str(answer[4][0]).partition("%")[0] for answer in answers)
    return sorted(found)
