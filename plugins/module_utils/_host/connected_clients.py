# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Clients connected to ports of this machine, from the kernel's TCP tables.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import network, tcp_tables


def find_connections(table: str, ports: Iterable[int]) -> list[tuple[int, str]]:
    """Return port and client address of each connection to ``ports`` in a table of the kernel."""
    wanted = set(ports)
    return [
        (port, tcp_tables.address(row.remote))
        for row in tcp_tables.rows(table, tcp_tables.ESTABLISHED)
        if (port := tcp_tables.port(row.local)) in wanted
    ]


def count_connections(ports: Iterable[int]) -> dict[int, dict[str, int]]:
    """Return the number of connections by port and client address."""
    wanted = list(ports)
    found: dict[int, dict[str, int]] = {}
    for text in tcp_tables.read_tables():
        for port, peer in find_connections(text, wanted):
            counts = found.setdefault(port, {})
            counts[peer] = counts.get(peer, 0) + 1
    return found


def resolve_names(names: Iterable[str]) -> list[str]:
    """Return the sorted addresses of ``names`` as this machine resolves them."""
    found: set[str] = set()
    for name in names:
        # A link-local address has its interface after a percent sign.
        found.update(address.partition("%")[0] for address in network.resolve(name))
    return sorted(found)
