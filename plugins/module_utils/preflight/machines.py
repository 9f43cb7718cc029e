# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What machines must have: system, memory, space, disks. Without a fact a check becomes a note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .catalogue import instances
from .problem import Problem, listed, note
from .services import directories, memory
from .site import Facts, Site
from .values import HEAP_WORDS, MEMORY_WORDS, gib, heap_bytes, memory_bytes

# Systems the roles are tested on, by id and major version of os-release.
SYSTEMS: dict[str, tuple[str, ...]] = {"debian": ("12", "13")}
ARCHITECTURES = ("aarch64", "x86_64")

# The oldest Python that Ansible's modules run on.
OLDEST_PYTHON = (3, 9)


# Where the engine keeps images and containers.
ENGINE_DIRECTORY = "/var/lib/docker"

# Limits that a site may set, with what they are when it does not: memory a machine keeps for its
# system, free space for images and for data. Data directories of a new cluster fill later: their
# limit only finds the disk that is full now.
SETTINGS = {
    "preflight_memory_reserve": "512m",
    "preflight_free_engine": "4g",
    "preflight_free_data": "512m",
}


def _machines(site: Site) -> Iterator[tuple[str, Facts]]:
    """Machines that were looked at, with what they told."""
    for machine in site.members("metal"):
        if machine in site.facts:
            yield machine, site.facts[machine]


def looked_at(site: Site) -> Iterator[Problem]:
    """A machine outside the run's limit, or without an answer, is said to be unchecked."""
    for machine in site.members("metal"):
        if machine not in site.facts:
            yield note(machine, "system, memory, disks and ports", "no part of this run")


def _unknown(machine: str, what: str) -> Problem:
    return note(machine, what, "the machine did not tell")


def machine_known(site: Site) -> Iterator[Problem]:
    """Every instance runs on a machine of group metal, which is where engines are installed."""
    machines = site.members("metal")
    if not machines:
        yield Problem("metal", "group", "no host", "the machines that services run on")
        return
    seen = set()
    for host, _ in instances(site):
        machine = site.machine(host)
        if machine not in machines and machine not in seen:
            seen.add(machine)
            yield Problem(
                host,
                "ansible_host",
                f"{machine}, which is no machine of group metal",
                "an address of " + listed(machines),
            )


def system(site: Site) -> Iterator[Problem]:
    """A supported operating system, architecture and Python."""
    for machine, facts in _machines(site):
        if "listeners" not in facts:
            yield _unknown(machine, "listening ports")
        if "system" in facts:
            found = facts["system"]
            major = found["version"].split(".")[0]
            if major not in SYSTEMS.get(found["id"], ()):
                supported = "; ".join(f"{k} {' or '.join(v)}" for k, v in SYSTEMS.items())
                yield Problem(machine, "/etc/os-release", found["name"], supported)
        else:
            yield _unknown(machine, "operating system")
        if "architecture" in facts:
            if facts["architecture"] not in ARCHITECTURES:
                yield Problem(
                    machine, "architecture", facts["architecture"], " or ".join(ARCHITECTURES)
                )
        else:
            yield _unknown(machine, "architecture")
        if "python" in facts:
            version = tuple(int(part) for part in re.findall(r"\d+", facts["python"])[:2])
            if version < OLDEST_PYTHON:
                oldest = ".".join(map(str, OLDEST_PYTHON))
                yield Problem(machine, "python", facts["python"], f"{oldest} or newer")
        else:
            yield _unknown(machine, "python")


def sizes(site: Site) -> Iterator[Problem]:
    """Sizes of memory in words that the JVM and the engine understand; the heap fits its limit."""
    for host, service in instances(site):
        heap = site.value(host, service.heap) if service.heap else None
        limit = site.value(host, service.memory, "") if service.memory else ""
        if service.heap and heap is not None and heap_bytes(heap) is None:
            yield Problem(host, service.heap, repr(heap), HEAP_WORDS)
        if service.memory and limit and memory_bytes(limit) is None:
            yield Problem(host, service.memory, repr(limit), f"{MEMORY_WORDS}; empty for no limit")
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
    for machine, facts in _machines(site):
        if "memory" not in facts:
            yield _unknown(machine, "memory")
            continue
        reserve = setting(site, machine, "preflight_memory_reserve")
        entries = sorted(wanted.get(machine, []), reverse=True)
        total, room = sum(count for count, _, _ in entries), facts["memory"] - reserve
        if total > room:
            largest = ", ".join(
                f"{host} {gib(count)} ({where})" for count, host, where in entries[:3]
            )
            yield Problem(
                machine,
                "memory",
                f"{gib(total)} wanted by {len(entries)} containers, most of it by {largest}",
                f"at most {gib(max(room, 0))}: the machine has {gib(facts['memory'])} "
                f"and keeps {gib(reserve)} (preflight_memory_reserve)",
            )


# Mount points that belong to the operating system: data below them has no disk of its own.
SYSTEM_MOUNTS = frozenset({"/", "/boot", "/home", "/tmp", "/usr", "/var", "/var/lib"})


def root_disk(site: Site) -> Iterator[Problem]:
    """Logs of a broker have a disk of their own: a full or lost disk takes only itself away."""
    for host, service in instances(site):
        if site.value(host, "metal_allow_root_disk", False):
            continue
        machine = site.machine(host)
        for where, path in directories(site, host, service.disks):
            place = site.facts.get(machine, {}).get("paths", {}).get(path)
            # A disk that is not known is noted with its free space.
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
        yield machine, ENGINE_DIRECTORY


def free_space(site: Site) -> Iterator[Problem]:
    """Room for images under the engine's directory, and for data under each data directory."""
    wanted = [(m, m, "engine", p, "preflight_free_engine") for m, p in engine_directories(site)]
    for host, service in instances(site):
        for where, path in directories(site, host, service.directories):
            wanted.append((site.machine(host), host, where, path, "preflight_free_data"))
    seen = set()
    for machine, host, where, path, variable in wanted:
        if machine not in site.facts:
            continue
        place = site.facts[machine].get("paths", {}).get(path)
        # Several directories of one file system share its space: told once.
        key = (machine, place["mount"] if place else path, variable)
        if key in seen:
            continue
        seen.add(key)
        if place is None:
            yield _unknown(machine, f"free space of {path}")
        elif place["free"] < (least := setting(site, machine, variable)):
            yield Problem(
                host,
                where,
                f"{gib(place['free'])} free for {path} (file system {place['mount']})",
                f"at least {gib(least)} ({variable})",
            )


def settings(site: Site) -> Iterator[Problem]:
    """Limits of preflight itself are sizes."""
    for machine in site.members("metal"):
        for name in SETTINGS:
            value = site.value(machine, name)
            if value is not None and memory_bytes(value) is None:
                yield Problem(machine, name, repr(value), MEMORY_WORDS)


def setting(site: Site, machine: str, name: str) -> int:
    """Bytes of one of preflight's own limits on a machine."""
    standard = memory_bytes(SETTINGS[name]) or 0
    found = memory_bytes(site.value(machine, name, SETTINGS[name]))
    return standard if found is None else found
