# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Ports and directories: valid, and free of conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.facts_of_machines import Listener
from .._site.services import Socket, directories, sockets
from .._site.site_instances import instances
from .._site.site_model import Site


def port_numbers(site: Site) -> Iterator[Problem]:
    """Every port is from 1 to 65535, and every listener has exactly the required keys."""
    for host, service in instances(site):
        for variable in service.ports:
            value = site.value(host, variable)
            if isinstance(value, Mapping):
                yield from _listeners(host, variable, value)
            elif value is not None:
                yield from _port(host, variable, value)
        if metrics_port := service.metrics_port:
            value = site.value(host, metrics_port, 0)
            if value not in (0, "0"):
                yield from _port(host, metrics_port, value)


def _listeners(host: str, variable: str, listeners: Mapping[object, object]) -> Iterator[Problem]:
    needed = ("bind", "advertise", "port")
    for name, at in listeners.items():
        where = f"{variable}.{name}"
        keys = set(at) if isinstance(at, Mapping) else set()
        # protocol is only needed for a listener that differs from security_mode.
        if keys - {"protocol"} != set(needed):
            yield Problem(
                host,
                where,
                "the keys " + (", ".join(sorted(map(str, keys))) or "none"),
                "exactly " + ", ".join(needed) + ", and protocol where it differs",
            )
        if not isinstance(at, Mapping):
            continue
        if "port" in at:
            yield from _port(host, f"{where}.port", at["port"])
        for key in keys & {"bind", "advertise", "protocol"}:
            if not isinstance(at[key], str):
                yield Problem(host, f"{where}.{key}", repr(at[key]), "a text, in quotes")


def _port(host: str, where: str, value: object) -> Iterator[Problem]:
    number = whole_number(value)
    if number is None or not 1 <= number <= 65535:
        yield Problem(host, where, repr(value), "a whole number from 1 to 65535")


def _sockets_by_machine(site: Site) -> dict[str, list[Socket]]:
    found: dict[str, list[Socket]] = {}
    for host, service in instances(site):
        found.setdefault(site.machine(host), []).extend(sockets(site, host, service))
    return found


def port_collisions(site: Site) -> Iterator[Problem]:
    """No two instances on one machine listen on the same port of the same address."""
    for machine, wanted in _sockets_by_machine(site).items():
        by_port: dict[int, list[Socket]] = {}
        for socket in wanted:
            for other in by_port.get(socket.port, ()):
                if socket.conflicts_with(other.address, other.port):
                    yield Problem(
                        socket.host,
                        socket.where,
                        f"port {socket.port}, which {other.where} of {other.host} also uses",
                        f"a port that is free on the machine {machine}",
                    )
                    break
            by_port.setdefault(socket.port, []).append(socket)


def ports_in_use(site: Site) -> Iterator[Problem]:
    """No process outside this cluster listens on a port that a service needs."""
    for machine, wanted in _sockets_by_machine(site).items():
        for listener in site.facts.get(machine, {}).get("listeners", ()):
            for socket in wanted:
                cluster = str(site.value(socket.host, "cluster_name", ""))
                if not socket.conflicts_with(listener["address"], listener["port"]):
                    continue
                if listener["cluster"] != cluster or not cluster:
                    owner = _owner(listener)
                    yield Problem(
                        socket.host,
                        socket.where,
                        f"port {socket.port}, used on {machine} by {owner or 'an unknown process'}",
                        f"a free port, or one used by a container of cluster {cluster}",
                        # An unknown process may belong to this cluster.
                        fatal=owner is not None,
                    )


def _owner(listener: Listener) -> str | None:
    if listener["container"]:
        of = f" of cluster {listener['cluster']}" if listener["cluster"] else ""
        return f"container {listener['container']}{of}"
    return f"process {listener['process']}" if listener["process"] else None


def _directories_by_machine(site: Site) -> dict[str, list[tuple[str, str, str]]]:
    """Host, variable and path of every data directory, by machine."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for host, service in instances(site):
        for where, path in directories(site, host, service.directories):
            found.setdefault(site.machine(host), []).append((host, where, path))
    return found


def directory_collisions(site: Site) -> Iterator[Problem]:
    """Data directories are absolute paths, and do not overlap on one machine."""
    for machine, entries in _directories_by_machine(site).items():
        seen: list[tuple[str, str, PurePosixPath]] = []
        for host, where, text in entries:
            path = PurePosixPath(text)
            if not path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
                yield Problem(host, where, repr(text), "an absolute path below /, without ..")
                continue
            for other_host, other_where, other in seen:
                if path == other or path in other.parents or other in path.parents:
                    relation = "is" if path == other else "contains or is inside"
                    yield Problem(
                        host,
                        where,
                        f"{path}, which {relation} {other_where} of {other_host} ({other})",
                        f"a directory of its own on the machine {machine}",
                    )
                    break
            seen.append((host, where, path))


def required_values(site: Site) -> Iterator[Problem]:
    """Every instance has values for its ports, addresses and directories."""
    for host, service in instances(site):
        for variable in (
            *(*service.ports, *service.directories),
            *(service.bind, service.address),
        ):
            if variable and not site.value(host, variable):
                yield Problem(host, variable, "nothing", "a value: it has no default")
