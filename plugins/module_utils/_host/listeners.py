# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Listening sockets of a machine, each with its process and container.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from .._common import container_labels
from . import container_list, port_probe, tcp_tables
from .container_processes import container_id
from .procfs import read


def read_listeners(path: str) -> list[dict[str, Any]]:
    """Return the listeners of this machine, as listeners(); ``path`` is the engine's socket.

    Raises OSError without /proc.
    """
    sockets = [found for table in tcp_tables.read_tables() for found in listening_sockets(table)]
    found = listeners(sockets, socket_owners(), container_list.list_running_containers(path))
    # An interrupted run leaves this helper for a minute; it ends before a service starts.
    return [listener for listener in found if listener["process"] != port_probe.HELPER]


def listening_sockets(table: str) -> Iterator[tuple[str, int, str]]:
    """Address, port and inode of each listening socket in a table of the kernel."""
    for row in tcp_tables.rows(table, tcp_tables.LISTEN):
        yield tcp_tables.address(row.local), tcp_tables.port(row.local), row.inode


def listeners(
    sockets: Iterable[tuple[str, int, str]],
    owners: dict[str, tuple[str, str | None]],
    containers: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return one mapping per listening socket, with its container if there is one.

    ``owners`` maps inodes to process name and container id; ``containers`` is the engine's list.
    A port that the engine publishes belongs to the published container.
    """
    by_id = {container["Id"]: container for container in containers}
    published = {
        port["PublicPort"]: container
        for container in containers
        for port in container.get("Ports") or ()
        if port.get("PublicPort") and port.get("Type") == "tcp"
    }
    found = []
    for address, port, inode in sockets:
        process, identity = owners.get(inode, (None, None))
        container = by_id.get(identity or "")
        if container is None and process == "docker-proxy":
            container = published.get(port)
        names = (container or {}).get("Names") or [None]
        cluster = container_labels.label_from_list(container or {}, container_labels.CLUSTER)
        found.append(
            {
                "address": address,
                "port": port,
                "process": process,
                "container": names[0].lstrip("/") if names[0] else identity,
                "cluster": cluster or None,
            }
        )
    return found


def socket_owners(proc: str = "/proc") -> dict[str, tuple[str, str | None]]:
    """Return process name and container id by socket inode, of readable processes only."""
    found = {}
    for pid in filter(str.isdigit, os.listdir(proc)):
        try:
            targets = [os.readlink(entry.path) for entry in os.scandir(f"{proc}/{pid}/fd")]
            inodes = [t[len("socket:[") : -1] for t in targets if t.startswith("socket:[")]
            if inodes:
                owner = (
                    read(f"{proc}/{pid}/comm").strip(),
                    container_id(read(f"{proc}/{pid}/cgroup")),
                )
                found.update(dict.fromkeys(inodes, owner))
        except OSError:
            # The process has ended, or may not be read.
            continue
    return found
