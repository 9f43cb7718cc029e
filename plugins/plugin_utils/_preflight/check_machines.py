# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Requirements of machines. Without a machine's facts, its checks become notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._declarations.problem import Problem, join_names, note
from .._site.site_instances import instances
from .._site.site_model import Site

# Systems that the roles are tested on: id and major versions, as in os-release.
SYSTEMS: dict[str, tuple[str, ...]] = {"debian": ("12", "13")}
ARCHITECTURES = ("aarch64", "x86_64")

# The oldest Python that Ansible's modules support.
OLDEST_PYTHON = (3, 9)

# Facts that machine_info returns, with their names in messages.
FACTS = {
    "system": "operating system",
    "architecture": "architecture",
    "python": "python",
    "memory": "memory",
    "paths": "file systems",
    "listeners": "listening ports",
    "kernel": "kernel",
    "limits": "limits",
    "clock": "clock",
    "addresses": "addresses",
    "names": "names",
    "interfaces": "network interfaces",
    "ephemeral": "port range of outgoing connections",
    "engine": "container engine",
    "cgroup": "control groups",
    "identity": "hostname",
    "protections": "SELinux and AppArmor",
}


def missing_facts(site: Site) -> Iterator[Problem]:
    """A missing fact is reported as not checked; a machine outside the run is reported once."""
    for machine in site.members("metal"):
        facts = site.facts.get(machine)
        if facts is None:
            yield note(machine, "everything on it", "the machine is not part of this run")
            continue
        for name, what in FACTS.items():
            if name not in facts:
                yield note(machine, what, "the machine did not report it")


def machine_group(site: Site) -> Iterator[Problem]:
    """Every instance runs on a machine of group metal, on which engines are installed."""
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
                f"{machine}, which is not a machine of group metal",
                "an address of " + join_names(machines),
            )


def system(site: Site) -> Iterator[Problem]:
    """The operating system is supported."""
    for machine, facts in site.facts.items():
        found = facts.get("system")
        if found and found["version"].split(".")[0] not in SYSTEMS.get(found["id"], ()):
            supported = "; ".join(f"{name} {' or '.join(v)}" for name, v in SYSTEMS.items())
            yield Problem(machine, "/etc/os-release", found["name"], supported)


def architecture(site: Site) -> Iterator[Problem]:
    """Images exist for the machine's architecture."""
    for machine, facts in site.facts.items():
        found = facts.get("architecture", ARCHITECTURES[0])
        if found not in ARCHITECTURES:
            yield Problem(machine, "architecture", found, " or ".join(ARCHITECTURES))


def python(site: Site) -> Iterator[Problem]:
    """Python is new enough for Ansible's modules."""
    for machine, facts in site.facts.items():
        numbers = tuple(int(part) for part in re.findall(r"\d+", facts.get("python", ""))[:2])
        if numbers and numbers < OLDEST_PYTHON:
            oldest = ".".join(map(str, OLDEST_PYTHON))
            yield Problem(machine, "python", facts["python"], f"{oldest} or newer")
