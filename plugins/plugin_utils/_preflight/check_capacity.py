# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Capacity of machines: memory, disks for data, free space."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils._common.units import (
    HEAP_FORMAT,
    MEMORY_FORMAT,
    heap_bytes,
    memory_bytes,
    size_text,
)
from .._declarations.inventory_values import is_true
from .._declarations.problem import Problem
from .._site.services import daemon_heap, directories, entries, memory
from .._site.site_instances import instances
from .._site.site_model import Site

# Default of the engine's option data-root: images and containers are stored there.
ENGINE_DIRECTORY = "/var/lib/docker"

# Defaults of the limits that a site may set: memory reserved for the system, free space for images
# and for data. Data directories fill later, so their limit only finds disks that are full now.
SETTINGS = {
    "preflight_memory_reserve": "512m",
    "preflight_free_engine": "4g",
    "preflight_free_data": "512m",
}

# Mount points of the operating system: data below them shares its disk.
SYSTEM_MOUNTS = frozenset({"/", "/boot", "/home", "/tmp", "/usr", "/var", "/var/lib"})


def memory_sizes(site: Site) -> Iterator[Problem]:
    """Memory sizes are valid for the JVM and the engine, and a heap fits its container's limit."""
    for host, service in instances(site):
        for variable in filter(None, (service.heap, service.daemon_heap)):
            value = site.value(host, variable)
            if value is not None and heap_bytes(value) is None:
                yield Problem(host, variable, repr(value), HEAP_FORMAT)
        heap = site.value(host, service.heap) if service.heap else None
        limit = site.value(host, service.memory, "") if service.memory else ""
        if service.memory and limit and memory_bytes(limit) is None:
            yield Problem(host, service.memory, repr(limit), f"{MEMORY_FORMAT}; empty for no limit")
        own = daemon_heap(site, host, service)
        if (
            service.heap
            and limit
            and (heap_bytes(heap) or 0) + own >= (memory_bytes(limit) or 1024**5)
        ):
            plus = f" and {size_text(own)} ({service.daemon_heap})" if own else ""
            yield Problem(
                host,
                service.heap,
                f"{heap}{plus}, not less than the container's limit ({service.memory}: {limit})",
                f"less than {limit}{' in total' if own else ''}: the JVM needs memory in addition "
                "to its heap",
            )


def machine_memory(site: Site) -> Iterator[Problem]:
    """The memory limits of all services of a machine fit into its memory."""
    wanted: dict[str, list[tuple[int, str, str]]] = {}
    for host, service in instances(site):
        for where, count in memory(site, host, service):
            wanted.setdefault(site.machine(host), []).append((count, host, where))
    for machine, facts in site.facts.items():
        if "memory" not in facts:
            continue
        reserve = preflight_limit(site, machine, "preflight_memory_reserve")
        largest_first = sorted(wanted.get(machine, []), reverse=True)
        total, room = sum(count for count, _, _ in largest_first), facts["memory"] - reserve
        if total > room:
            largest = ", ".join(
                f"{host} {size_text(count)} ({where})" for count, host, where in largest_first[:3]
            )
            yield Problem(
                machine,
                "memory",
                f"{size_text(total)} required by {len(largest_first)} containers, "
                f"the largest are {largest}",
                f"at most {size_text(max(room, 0))}: the machine has {size_text(facts['memory'])} "
                f"and reserves {size_text(reserve)} (preflight_memory_reserve)",
            )


def root_disk(site: Site) -> Iterator[Problem]:
    """Broker logs are not on the root disk, so that a full log disk does not stop the system"""
    for host, service in instances(site):
        if is_true(site.value(host, "metal_allow_root_disk", False)):
            continue
        machine = site.machine(host)
        for where, path in directories(site, host, service.own_disk_directories):
            place = site.place(machine, path)
            if place and (place["system"] or place["mount"] in SYSTEM_MOUNTS):
                yield Problem(
                    host,
                    where,
                    f"{path}, which is on the disk of the operating system ({place['mount']})",
                    "a directory on a separate mounted disk, "
                    "or metal_allow_root_disk: true where losing data does no harm",
                )


def engine_directories(site: Site) -> Iterator[tuple[str, str]]:
    """Yield each machine with the directory in which its engine stores images."""
    for machine in site.members("metal"):
        options = entries(site, machine, "docker_daemon_options")
        yield machine, str(options.get("data-root", ENGINE_DIRECTORY))


def free_space(site: Site) -> Iterator[Problem]:
    """There is free space for images in the engine's directory, and in each data directory."""
    wanted = [(m, m, "engine", p, "preflight_free_engine") for m, p in engine_directories(site)]
    for host, service in instances(site):
        for where, path in directories(site, host, service.directories):
            wanted.append((site.machine(host), host, where, path, "preflight_free_data"))
    seen = set()
    for machine, host, where, path, variable in wanted:
        place = site.place(machine, path)
        # Directories on one file system share its space: report it once.
        if place is None or (key := (machine, place["mount"], variable)) in seen:
            continue
        seen.add(key)
        least = preflight_limit(site, machine, variable)
        if place["free"] < least:
            yield Problem(
                host,
                where,
                f"{size_text(place['free'])} free for {path} (file system {place['mount']})",
                f"at least {size_text(least)} ({variable})",
            )


def preflight_limits(site: Site) -> Iterator[Problem]:
    """Preflight's own limits of memory and space are valid sizes."""
    for machine in site.members("metal"):
        for name in SETTINGS:
            value = site.value(machine, name)
            if value is not None and memory_bytes(value) is None:
                yield Problem(machine, name, repr(value), MEMORY_FORMAT)


def preflight_limit(site: Site, machine: str, name: str) -> int:
    """Return one of preflight's own limits on a machine, in bytes."""
    standard = memory_bytes(SETTINGS[name]) or 0
    found = memory_bytes(site.value(machine, name, SETTINGS[name]))
    return standard if found is None else found
