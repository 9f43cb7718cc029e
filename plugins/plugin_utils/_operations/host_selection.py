# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Selection of the hosts that a step must run on, from the facts that preflight has read.

A play without hosts runs no task, and a host that preflight has read is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._host.engine_facts import NOT_INSTALLED

# Variables of hosts, by name.
Hosts = Mapping[str, Mapping[str, Any]]


def without_engine(hosts: Hosts) -> list[str]:
    """Hosts that were not read, that have no engine yet, or that lack its library.

    An engine that does not respond is left out: the run starts it, or the plan reports that.
    """
    unreachable = with_unreachable_engine(hosts)
    return [
        name
        for name, found in hosts.items()
        if not _engine(found).get("library") and name not in unreachable
    ]


def with_unreachable_engine(hosts: Hosts) -> list[str]:
    """Hosts with an installed engine that did not respond."""
    return [name for name, found in hosts.items() if _error(found) not in ("", NOT_INSTALLED)]


def _error(found: Mapping[str, Any]) -> str:
    """Why the engine of a host did not respond; empty if it did, or was not read."""
    return str(_facts(found).get("engine_error") or "")


def without_images(hosts: Hosts, references: Callable[[Mapping[str, Any]], list[str]]) -> list[str]:
    """Hosts that were not read, or whose engine lacks one of their images."""
    return [
        name
        for name, found in hosts.items()
        if not set(references(found)) <= set(_engine(found).get("images", ()))
    ]


def first_reachable(hosts: Hosts, machines: Mapping[str, str], reached: Hosts) -> list[str]:
    """The first host that is not known to be unreachable; the first host if all are.

    ``machines`` has the machine of each host, ``reached`` the variables of machines. If all hosts
    are unreachable, the run then fails on the first one and reports the reason.
    """
    return (all_reachable(hosts, machines, reached) or list(hosts))[:1]


def all_reachable(hosts: Hosts, machines: Mapping[str, str], reached: Hosts) -> list[str]:
    """The hosts that are not known to be unreachable."""
    return [name for name in hosts if _is_reachable(reached.get(machines[name], {}))]


def _is_reachable(machine: Mapping[str, Any]) -> bool:
    """Whether a machine has responded, or was not asked."""
    state = machine.get("roll_platform_status") or {}
    return bool(machine.get("machine_responds", not state.get("unreachable")))


def without_identity(hosts: Hosts) -> list[str]:
    """Hosts whose identity data of the cluster was not read."""
    return [name for name, found in hosts.items() if _known_identity(found) is None]


def identities(names: Sequence[str], hosts: Hosts) -> list[dict[str, Any]]:
    """Identity data of the cluster on each machine, or the reason why it could not be read."""
    return [_identity(name, hosts.get(name) or {}) for name in names]


def _identity(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    known = _known_identity(found)
    if known is not None:
        return {"name": name, **known}
    machine, read = _results(found)
    if "facts" in machine or "unknown" in read:
        unknown = (machine.get("unknown") or {}).get("cluster", "the machine did not report it")
        return {"name": name, "unreadable": [str(read.get("unknown", unknown))]}
    away = machine.get("unreachable") or read.get("unreachable")
    why = "it is unreachable" if away else "it is not part of this run"
    return {"name": name, "reached": False, "unreadable": [why]}


def _known_identity(found: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Identity data of the cluster on a machine, from cluster_identity or machine_info."""
    _, read = _results(found)
    known: Mapping[str, Any] | None = read.get("identity", _facts(found).get("cluster"))
    return known


def _results(found: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Results of machine_info and cluster_identity; empty before they ran."""
    return found.get("preflight_machine") or {}, found.get("security_identity") or {}


def _facts(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Facts that machine_info returned of a machine; empty before it ran."""
    machine, _ = _results(found)
    return machine.get("facts") or {}


def _engine(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Facts that machine_info returned of the engine; empty before it ran."""
    return _facts(found).get("engine") or {}
