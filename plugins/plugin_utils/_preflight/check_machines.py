# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine must be. Without its facts a check becomes a note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._declarations.problem import Problem, listed, note
from .._site.site_instances import instances
from .._site.site_model import Site

# Systems the roles are tested on, by id and major version of os-release.
SYSTEMS: dict[str, tuple[str, ...]] = {"debian": ("12", "13")}
ARCHITECTURES = ("aarch64", "x86_64")

# The oldest Python that Ansible's modules run on.
OLDEST_PYTHON = (3, 9)

# What machine_info tells, and what the operator calls it.
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
    "ephemeral": "ports of outgoing connections",
    "engine": "container engine",
    "cgroup": "control groups",
    "identity": "hostname",
    "protections": "SELinux and AppArmor",
}


def looked_at(site: Site) -> Iterator[Problem]:
    """What no machine told is not checked, and that is said: once for a machine not asked."""
    for machine in site.members("metal"):
        facts = site.facts.get(machine)
        if facts is None:
            yield note(machine, "everything on it", "it is no part of this run")
            continue
        for name, what in FACTS.items():
            if name not in facts:
                yield note(machine, what, "the machine did not tell")


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
    """A supported operating system."""
    for machine, facts in site.facts.items():
        found = facts.get("system")
        if found and found["version"].split(".")[0] not in SYSTEMS.get(found["id"], ()):
            supported = "; ".join(f"{name} {' or '.join(v)}" for name, v in SYSTEMS.items())
            yield Problem(machine, "/etc/os-release", found["name"], supported)


def architecture(site: Site) -> Iterator[Problem]:
    """An architecture that images are built for."""
    for machine, facts in site.facts.items():
        found = facts.get("architecture", ARCHITECTURES[0])
        if found not in ARCHITECTURES:
            yield Problem(machine, "architecture", found, " or ".join(ARCHITECTURES))


def python(site: Site) -> Iterator[Problem]:
    """A Python that runs modules."""
    for machine, facts in site.facts.items():
        numbers = tuple(int(part) for part in re.findall(r"\d+", facts.get("python", ""))[:2])
        if numbers and numbers < OLDEST_PYTHON:
            oldest = ".".join(map(str, OLDEST_PYTHON))
            yield Problem(machine, "python", facts["python"], f"{oldest} or newer")
