# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What services want of a machine: memory, disks of their own, free space."""

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
from .._site.services import directories, entries, memory
from .._site.site_instances import instances
from .._site.site_model import Site

# Where the engine keeps images and containers unless its options say otherwise.
ENGINE_DIRECTORY = "/var/lib/docker"

# Limits that a site may set, with what they are when it does not: memory a machine keeps for its
# system, free space for images and for data. Data directories of a new cluster fill later: their
# limit only finds the disk that is full now.
SETTINGS = {
    "preflight_memory_reserve": "512m",
    "preflight_free_engine": "4g",
    "preflight_free_data": "512m",
}

# Mount points that belong to the operating system: data below them has no disk of its own.
SYSTEM_MOUNTS = frozenset({"/", "/boot", "/home", "/tmp", "/usr", "/var", "/var/lib"})


def sizes(site: Site) -> Iterator[Problem]:
    """Sizes of memory in words that the JVM and the engine understand; the heap fits its limit."""
    for host, service in instances(site):
        heap = site.value(host, service.heap) if service.heap else None
        limit = site.value(host, service.memory, "") if service.memory else ""
        if service.heap and heap is not None and heap_bytes(heap) is None:
            yield Problem(host, service.heap, repr(heap), HEAP_FORMAT)
        if service.memory and limit and memory_bytes(limit) is None:
            yield Problem(host, service.memory, repr(limit), f"{MEMORY_FORMAT}; empty for no limit")
        if service.heap and limit and (heap_bytes(heap) or 0) >= (memory_bytes(limit) or 1024**5):
            yield Problem(
                host,
                service.heap,
                f"{heap}, as much as the container may have ({service.memory}: {limit})",
                f"less than {limit}: the JVM needs memory beside its heap",
            )


def memory_of_machines(site: Site) -> Iterator[Problem]:
    """What all services of a machine may use fits into its memory."""
    wanted: dict[str, list[tuple[int, str, str]]] = {}
    for host, service in instances(site):
        for where, count in memory(site, host, service):
            wanted.setdefault(site.machine(host), []).append((count, host, where))
    for machine, facts in site.facts.items():
        if "memory" not in facts:
            continue
        reserve = setting(site, machine, "preflight_memory_reserve")
        largest_first = sorted(wanted.get(machine, []), reverse=True)
        total, room = sum(count for count, _, _ in largest_first), facts["memory"] - reserve
        if total > room:
            largest = ", ".join(
                f"{host} {size_text(count)} ({where})" for count, host, where in largest_first[:3]
            )
            yield Problem(
                machine,
                "memory",
                f"{size_text(total)} wanted by {len(largest_first)} containers, "
                f"most of it by {largest}",
                f"at most {size_text(max(room, 0))}: the machine has {size_text(facts['memory'])} "
                f"and keeps {size_text(reserve)} (preflight_memory_reserve)",
            )


def root_disk(site: Site) -> Iterator[Problem]:
    """Logs of a broker have a disk of their own: a full or lost disk takes only itself away."""
    for host, service in instances(site):
        if is_true(site.value(host, "metal_allow_root_disk", False)):
            continue
        machine = site.machine(host)
        for where, path in directories(site, host, service.disks):
            place = site.place(machine, path)
            if place and (place["system"] or place["mount"] in SYSTEM_MOUNTS):
                yield Problem(
                    host,
                    where,
                    f"{path}, which lies on the disk of the operating system ({place['mount']})",
                    "a directory on a mounted disk of its own, "
                    "or metal_allow_root_disk: true where losing data is no harm",
                )


def engine_directories(site: Site) -> Iterator[tuple[str, str]]:
    """Machine and directory under which its engine keeps images."""
    for machine in site.members("metal"):
        options = entries(site, machine, "docker_daemon_options")
        yield machine, str(options.get("data-root", ENGINE_DIRECTORY))


def free_space(site: Site) -> Iterator[Problem]:
    """Room for images under the engine's directory, and for data under each data directory."""
    wanted = [(m, m, "engine", p, "preflight_free_engine") for m, p in engine_directories(site)]
    for host, service in instances(site):
        for where, path in directories(site, host, service.directories):
            wanted.append((site.machine(host), host, where, path, "preflight_free_data"))
    seen = set()
    for machine, host, where, path, variable in wanted:
        place = site.place(machine, path)
        # Several directories of one file system share its space: told once.
        if place is None or (key := (machine, place["mount"], variable)) in seen:
            continue
        seen.add(key)
        least = setting(site, machine, variable)
        if place["free"] < least:
            yield Problem(
                host,
                where,
                f"{size_text(place['free'])} free for {path} (file system {place['mount']})",
                f"at least {size_text(least)} ({variable})",
            )


def settings(site: Site) -> Iterator[Problem]:
    """Limits of preflight itself are sizes."""
    for machine in site.members("metal"):
        for name in SETTINGS:
            value = site.value(machine, name)
            if value is not None and memory_bytes(value) is None:
                yield Problem(machine, name, repr(value), MEMORY_FORMAT)


def setting(site: Site, machine: str, name: str) -> int:
    """Bytes of one of preflight's own limits on a machine."""
    standard = memory_bytes(SETTINGS[name]) or 0
    found = memory_bytes(site.value(machine, name, SETTINGS[name]))
    return standard if found is None else found
