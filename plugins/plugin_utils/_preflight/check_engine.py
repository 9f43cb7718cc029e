# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The container engine that is there already, and what the kernel gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._host.engine_facts import HUNG, NOT_INSTALLED, START
from .._declarations.problem import Problem, advice
from .._site.facts_of_machines import Engine
from .._site.site_instances import instances
from .._site.site_model import Site

# API 1.41 is that of Docker 20.10, the oldest this platform is tested on.
OLDEST_API = (1, 41)
# What the classic and the containerd image store call the same driver.
DRIVERS = ("overlay2", "overlayfs")


def numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version, for comparison."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _engines(site: Site) -> Iterator[tuple[str, Engine]]:
    for machine, facts in site.facts.items():
        engine = facts.get("engine")
        if engine is not None:
            yield machine, engine


def engine_answers(site: Site) -> Iterator[Problem]:
    """An engine that is there answers; the run starts one that is down, but none that hangs."""
    for machine, facts in site.facts.items():
        silence = facts.get("silence", "")
        if silence in ("", NOT_INSTALLED):
            continue
        found = f"no answer of the engine of {machine} ({silence})"
        if HUNG in silence:
            yield Problem(
                machine,
                "engine",
                found,
                "an engine that answers: it runs and hangs; its log says why, a restart of it ends "
                "that",
            )
        else:
            yield advice(machine, "engine", found, f"one that answers: {START}")


def engine_version(site: Site) -> Iterator[Problem]:
    """An engine that is there speaks an API that the modules use."""
    for machine, engine in _engines(site):
        if numbers(engine["api"]) < OLDEST_API:
            yield Problem(
                machine,
                "engine",
                f"Docker {engine['version']} with API {engine['api']}",
                "API " + ".".join(map(str, OLDEST_API)) + " (Docker 20.10) or newer",
            )


def storage_driver(site: Site) -> Iterator[Problem]:
    """The engine keeps images in overlays, not in copies."""
    for machine, engine in _engines(site):
        if engine["driver"] not in DRIVERS:
            yield advice(
                machine,
                "engine",
                f"storage driver {engine['driver']}",
                "overlay2: others copy images or are no longer maintained",
            )


def rootless(site: Site) -> Iterator[Problem]:
    """The engine runs as root: it must own ports, limits and data of given users."""
    for machine, engine in _engines(site):
        if "rootless" in engine["protections"]:
            yield Problem(
                machine,
                "engine",
                "a rootless engine",
                "one that runs as root: limits of open files and owners of data need it",
            )


def user_namespaces(site: Site) -> Iterator[Problem]:
    """Users in containers are the users that own the data outside."""
    for machine, engine in _engines(site):
        if "userns" in engine["protections"]:
            yield Problem(
                machine,
                "engine",
                "userns-remap, which gives containers other users than the owners of data",
                "an engine without userns-remap in /etc/docker/daemon.json",
            )


def live_restore(site: Site) -> Iterator[Problem]:
    """Containers go on while the engine restarts, and after it has crashed.

    After a crash an engine without it stops the containers that it finds, takes them for stopped by
    hand, and does not start them again, whatever their restart policy (seen with Docker 26.1).
    """
    for machine, engine in _engines(site):
        if not engine["live_restore"]:
            yield advice(
                machine,
                "engine",
                "no live-restore: a restart of the engine stops every service at once, and after a "
                "crash of the engine they stay stopped until make up",
                '"live-restore": true in /etc/docker/daemon.json, and a reload of the engine',
            )


def memory_limits(site: Site) -> Iterator[Problem]:
    """Where services have memory limits, the kernel can keep them."""
    limited: dict[str, str] = {}
    for host, service in instances(site):
        if service.memory and site.value(host, service.memory, ""):
            limited.setdefault(site.machine(host), f"{service.memory} of {host}")
    for machine, where in limited.items():
        facts = site.facts.get(machine, {})
        engine = facts.get("engine")
        able = facts.get("cgroup", {}).get("memory", True)
        if not able or (engine is not None and not engine["memory_limit"]):
            yield Problem(
                machine,
                "control groups",
                f"no memory controller, so that {where} would limit nothing",
                "a kernel started with cgroup_enable=memory",
            )


def protections(site: Site) -> Iterator[Problem]:
    """SELinux and AppArmor let containers start and see their data."""
    for machine, facts in site.facts.items():
        found = facts.get("protections", {})
        if found.get("selinux") == "enforcing":
            yield advice(
                machine,
                "SELinux",
                "enforcing: containers may not see their data directories",
                "labels container_file_t on them, or permissive; it is not tested",
            )
        if found.get("apparmor") and not found.get("apparmor_parser", True):
            yield advice(
                machine,
                "AppArmor",
                "on, without apparmor_parser: the engine cannot load its profile, and nothing "
                "starts",
                "the package apparmor",
            )
