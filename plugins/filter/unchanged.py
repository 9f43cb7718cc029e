# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that select hosts by changes since the last complete run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Number of reasons that are reported; one is enough to compare everything.
REPORTED = 5


def unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> bool:
    """Whether nothing has changed since the last complete run; equal for all hosts."""
    return any(
        hostvars[host].get("site_unchanged", False) for host in hosts[:1] if host in hostvars
    )


def unless_unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The hosts of a play that compares; none if nothing has changed."""
    return [] if unchanged(hosts, hostvars) else list(hosts)


def first_if_unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The hosts of a play that compares; the first host if nothing has changed."""
    return list(hosts[:1]) if unchanged(hosts, hostvars) else list(hosts)


def fingerprint(value: Any) -> str:
    """16 hex digits of any value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def baseline(hostvars: Mapping[str, Any], machine: Any) -> dict[str, Any]:
    """The comparison of a machine with its baseline, from machine_info."""
    facts = (hostvars[machine].get("preflight_machine") or {}).get("facts") or {}
    return facts.get("baseline") or {}


def changes_since_last_run(
    machines: Iterable[str], hostvars: Mapping[str, Any], declared: Any, stopped: Any = True
) -> list[str]:
    """Reasons to compare the machines with their declarations; empty if there are none.

    ``declared``: digest of the declarations, optionally with the fingerprint of the brokers' live
    settings. ``stopped``: whether a stopped container is a reason.
    """
    found = []
    for name in machines:
        known = baseline(hostvars, name)
        last = known.get("declared") or []
        if not last:
            found.append(f"{name}: it has no baseline of a complete run")
        elif last[: len(declared)] != list(declared):
            what = "live settings of brokers" if last[0] == declared[0] else "declarations"
            found.append(f"{name}: {what} have changed since the last complete run")
        else:
            found += [f"{name}: {difference}" for difference in known["differs"]]
            found += [f"{name}: container {one} is stopped" for one in known["stopped"] if stopped]
    more = [f"and {len(found) - REPORTED} more"] if len(found) > REPORTED else []
    return found[:REPORTED] + more


def stopped_containers(machines: Iterable[str], hostvars: Mapping[str, Any]) -> dict[str, Any]:
    """Unchanged but stopped containers by machine, with their kind of service."""
    stopped = {machine: baseline(hostvars, machine).get("stopped") or {} for machine in machines}
    return {machine: kinds for machine, kinds in stopped.items() if kinds}


def to_start(
    machines: Iterable[str], hostvars: Mapping[str, Any], kinds: Any, others: Any = False
) -> dict[str, Any]:
    """Names of containers by machine from C(site_stopped), which is equal on every host.

    Containers of ``kinds``; with ``others``, of all other kinds.
    """
    stopped_containers = next(
        (hostvars[name].get("site_stopped") for name in machines if name in hostvars), None
    )
    found = {
        machine: sorted(name for name, kind in stopped.items() if (kind in kinds) is not others)
        for machine, stopped in (stopped_containers or {}).items()
    }
    return {machine: names for machine, names in found.items() if names}


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint,
            "first_if_unchanged": first_if_unchanged,
            "stopped_containers": stopped_containers,
            "changes_since_last_run": changes_since_last_run,
            "containers_to_start": to_start,
            "unless_unchanged": unless_unchanged,
        }
