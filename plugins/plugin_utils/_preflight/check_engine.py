# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The installed container engine, and the kernel features that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._host.engine_facts import HUNG, NOT_INSTALLED, START
from .._declarations.problem import Problem, advice
from .._site.facts_of_machines import Engine
from .._site.site_instances import instances
from .._site.site_model import Site

# API of Docker 20.10, the oldest version that this platform is tested on.
OLDEST_API = (1, 41)
# Names of the same driver in the classic and in the containerd image store.
DRIVERS = ("overlay2", "overlayfs")


def version_numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version, for comparison."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _engines(site: Site) -> Iterator[tuple[str, Engine]]:
    for machine, facts in site.facts.items():
        engine = facts.get("engine")
        if engine is not None:
            yield machine, engine


def engine_responds(site: Site) -> Iterator[Problem]:
    """An installed engine responds; a stopped one is a note, as the run starts it."""
    for machine, facts in site.facts.items():
        error = facts.get("engine_error", "")
        if error in ("", NOT_INSTALLED):
            continue
        found = f"no response from the engine of {machine} ({error})"
        if HUNG in error:
            yield Problem(
                machine,
                "engine",
                found,
                "an engine that responds: it runs but hangs; read its log, and restart it",
            )
        else:
            yield advice(machine, "engine", found, f"an engine that responds: {START}")


def engine_version(site: Site) -> Iterator[Problem]:
    """An installed engine has an API version that the modules support."""
    for machine, engine in _engines(site):
        if version_numbers(engine["api"]) < OLDEST_API:
            yield Problem(
                machine,
                "engine",
                f"Docker {engine['version']} with API {engine['api']}",
                "API " + ".".join(map(str, OLDEST_API)) + " (Docker 20.10) or newer",
            )


def storage_driver(site: Site) -> Iterator[Problem]:
    """The engine's storage driver is overlay2 or overlayfs."""
    for machine, engine in _engines(site):
        if engine["driver"] not in DRIVERS:
            yield advice(
                machine,
                "engine",
                f"storage driver {engine['driver']}",
                "overlay2: other drivers copy images or are no longer maintained",
            )


def rootless(site: Site) -> Iterator[Problem]:
    """The engine runs as root, which ports, limits and owners of data require."""
    for machine, engine in _engines(site):
        if "rootless" in engine["protections"]:
            yield Problem(
                machine,
                "engine",
                "a rootless engine",
                "one that runs as root: limits of open files and owners of data require it",
            )


def user_namespaces(site: Site) -> Iterator[Problem]:
    """User ids in containers equal those on the host, so that containers own their data."""
    for machine, engine in _engines(site):
        if "userns" in engine["protections"]:
            yield Problem(
                machine,
                "engine",
                "userns-remap: user ids in containers differ from the owners of data",
                "an engine without userns-remap in /etc/docker/daemon.json",
            )


def live_restore(site: Site) -> Iterator[Problem]:
    """Containers keep running while the engine restarts and after it crashes.

    After a crash, an engine without live-restore stops the running containers, treats them as
    stopped manually, and ignores their restart policy (observed with Docker 26.1).
    """
    for machine, engine in _engines(site):
        if not engine["live_restore"]:
            yield advice(
                machine,
                "engine",
                "no live-restore: a restart of the engine stops all services at once, and after a "
                "crash they stay stopped until make up",
                '"live-restore": true in /etc/docker/daemon.json; then reload the engine',
            )


def memory_limits(site: Site) -> Iterator[Problem]:
    """The kernel can enforce memory limits, if services have them."""
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
                f"no memory controller, so that {where} would have no effect",
                "a kernel started with cgroup_enable=memory",
            )


def protections(site: Site) -> Iterator[Problem]:
    """SELinux and AppArmor allow containers to start and to access their data."""
    for machine, facts in site.facts.items():
        found = facts.get("protections", {})
        if found.get("selinux") == "enforcing":
            yield advice(
                machine,
                "SELinux",
                "enforcing: containers may be denied access to their data directories",
                "label container_file_t on these directories, or permissive mode; not tested",
            )
        if found.get("apparmor") and not found.get("apparmor_parser", True):
            yield advice(
                machine,
                "AppArmor",
                "enabled, without apparmor_parser: the engine cannot load its profile, and no "
                "container starts",
                "the package apparmor",
            )
