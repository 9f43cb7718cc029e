# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Ports, directories and memory that the variables of a service declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._common.units import heap_bytes, memory_bytes
from .._catalogue.kinds import Service
from .._declarations.declarations_package import DEFAULT_MEMORY
from .._declarations.inventory_values import whole_number
from .site_model import Site
from .status_ports import status_ports


@dataclass(frozen=True)
class Socket:
    """A port on which an instance will listen, and its variable."""

    host: str
    where: str
    address: str
    port: int

    def conflicts_with(self, address: str, port: int) -> bool:
        """Whether a socket with this address and port conflicts with this one."""
        wildcards = {"0.0.0.0", "::", "*", ""}
        return self.port == port and (
            self.address == address or self.address in wildcards or address in wildcards
        )


def sockets(site: Site, host: str, service: Service) -> Iterator[Socket]:
    """Ports on which one instance will listen; ports that are no numbers are left out."""
    address = str(site.value(host, service.bind, "")) if service.bind else ""
    for variable in service.ports:
        value = site.value(host, variable)
        if isinstance(value, Mapping):
            for name, at in value.items():
                if isinstance(at, Mapping) and (port := whole_number(at.get("port"))) is not None:
                    bind = str(at.get("bind") or "")
                    yield Socket(host, f"{variable}.{name}.port", bind, port)
        elif (first := whole_number(value)) is not None:
            if not service.processes or not service.process_ports:
                yield Socket(host, variable, address, first)
                continue
            own = {
                name: port
                for name, value in entries(site, host, service.process_ports).items()
                if (port := whole_number(value)) is not None
            }
            names = entries(site, host, service.processes)
            for name, port in status_ports(names, first, own).items():
                where = f"{service.process_ports}.{name}" if name in own else variable
                yield Socket(host, where, address, port)
    if service.metrics_port and (port := whole_number(site.value(host, service.metrics_port, 0))):
        bind = str(site.value(host, service.metrics_bind, "127.0.0.1"))
        yield Socket(host, service.metrics_port, bind, port)


def directories(site: Site, host: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Variable and path of each directory that the variables ``names`` hold."""
    for variable in names:
        value = site.value(host, variable, [])
        if isinstance(value, str):
            yield variable, value
        elif isinstance(value, Sequence):
            for index, path in enumerate(value):
                yield f"{variable}[{index}]", str(path)


def entries(site: Site, host: str, variable: str) -> Mapping[str, Any]:
    """A dict of declarations by name; empty if it is missing or malformed."""
    found = site.value(host, variable, {})
    return found if isinstance(found, Mapping) else {}


def memory(site: Site, host: str, service: Service) -> Iterator[tuple[str, int]]:
    """Variable and memory in bytes of an instance: its container's limit, or else its heap."""
    if service.processes:
        extra = whole_number(site.value(host, "pipeline_overhead_mb", 0)) or 0
        for name, declared in entries(site, host, service.processes).items():
            spec = declared.get("resources") if isinstance(declared, Mapping) else None
            given = spec if isinstance(spec, Mapping) else {}
            heap = given.get("driver_memory", DEFAULT_MEMORY)
            where = f"{service.processes}.{name}.resources.driver_memory"
            yield where, (memory_bytes(heap) or 0) + extra * 1024**2
        return
    if service.memory and (count := memory_bytes(site.value(host, service.memory, ""))):
        yield service.memory, count
    elif service.heap and (count := memory_bytes(site.value(host, service.heap, ""))):
        yield service.heap, count + daemon_heap(site, host, service)


def daemon_heap(site: Site, host: str, service: Service) -> int:
    """Bytes of the heap of an instance itself, in addition to what it offers; 0 if there is none"""
    value = site.value(host, service.daemon_heap, "") if service.daemon_heap else ""
    return heap_bytes(value) or 0
