# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's tables of TCP sockets.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import contextlib
import ipaddress
import struct
from collections.abc import Iterator
from typing import NamedTuple

from .procfs import read

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
# States of a row, see the kernel's net/tcp_states.h.
ESTABLISHED = "01"
LISTEN = "0A"


class Row(NamedTuple):
    """A socket; ``local`` and ``remote`` as the kernel writes them, for port() and address()."""

    local: str
    remote: str
    inode: str


def read_tables() -> Iterator[str]:
    """Texts of the tables, for each version of IP that this kernel has."""
    for path in TABLES:
        with contextlib.suppress(FileNotFoundError):
            yield read(path)


def rows(table: str, state: str) -> Iterator[Row]:
    """Sockets in one state, from the text of a table."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == state:
            yield Row(fields[1], fields[2], fields[9])


def port(end: str) -> int:
    """Return the port of ``0100007F:2384``."""
    return int(end.rpartition(":")[2], 16)


def address(end: str) -> str:
    """Return the address of ``0100007F:2384``; IPv4 for an IPv4-mapped IPv6 address."""
    words = end.partition(":")[0]
    # 32-bit words in the processor's byte order.
    packed = b"".join(
        struct.pack("=I", int(words[at : at + 8], 16)) for at in range(0, len(words), 8)
    )
    found = ipaddress.ip_address(packed)
    return str(getattr(found, "ipv4_mapped", None) or found)
