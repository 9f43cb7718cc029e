# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which hosts a step has nothing to do on, by the look that preflight took at every machine.

A play on no host costs no task, and a host that answered once in a run is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._host.engine_facts import NOT_INSTALLED

# Variables of a host by its name.
Hosts = Mapping[str, Mapping[str, Any]]


def without_engine(hosts: Hosts) -> list[str]:
    """Hosts that were not looked at, that have no engine yet, or that lack its library.

    One that is there and silent has been started by then, or a plan has said that it would be.
    """
    silent = with_unreachable_engine(hosts)
    return [
        name
        for name, found in hosts.items()
        if not _engine(found).get("library") and name not in silent
    ]


def with_unreachable_engine(hosts: Hosts) -> list[str]:
    """Hosts that have an engine, which did not answer."""
    return [name for name, found in hosts.items() if _silence(found) not in ("", NOT_INSTALLED)]


def _silence(found: Mapping[str, Any]) -> str:
    """Why the engine of a host did not answer; empty where it did, or was not asked."""
    return str(_facts(found).get("silence") or "")


def without_images(hosts: Hosts, references: Callable[[Mapping[str, Any]], list[str]]) -> list[str]:
    """Hosts that were not looked at, or whose engine lacks one of the images that they want."""
    return [
        name
        for name, found in hosts.items()
        if not set(references(found)) <= set(_engine(found).get("images", ()))
    ]


def first_reachable(hosts: Hosts, machines: Mapping[str, str], reached: Hosts) -> list[str]:
    """The first host that is not known to be unreachable; the first of all where each one is.

    ``machines`` has the machine of each host, ``reached`` the variables of machines. The run then
    says why nobody answers.
    """
    answering = [
        name for name in hosts if reached.get(machines[name], {}).get("machine_answers", True)
    ]
    return (answering or list(hosts))[:1]


def without_identity(hosts: Hosts) -> list[str]:
    """Hosts of which it is not known what they have of the cluster."""
    return [name for name, found in hosts.items() if "members" not in _facts(found)]


def identities(names: Sequence[str], hosts: Hosts) -> list[dict[str, Any]]:
    """What each machine has of the cluster; of one without an answer, why there is none."""
    return [_identity(name, hosts.get(name) or {}) for name in names]


def _identity(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    told = found.get("preflight_machine") or {}
    members = _facts(found).get("members")
    if members is not None:
        return {"name": name, **members}
    if "facts" in told:
        reason = (told.get("unknown") or {}).get("members", "the machine did not tell")
        return {"name": name, "unread": [str(reason)]}
    why = "it is unreachable" if told.get("unreachable") else "it is no part of this run"
    return {"name": name, "asked": False, "unread": [why]}


def _facts(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What machine_info said of a machine; nothing before it was asked."""
    return (found.get("preflight_machine") or {}).get("facts") or {}


def _engine(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What machine_info said of the engine; nothing before it was asked."""
    return _facts(found).get("engine") or {}
