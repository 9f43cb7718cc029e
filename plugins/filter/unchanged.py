# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that leave out hosts of a site that is as the last whole run has left it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# How many reasons are said; one is enough to compare everything.
SAID = 5


def unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> bool:
    """Whether nothing has changed since the last run; all hosts have the same value."""
    return any(
        hostvars[host].get("site_unchanged", False) for host in hosts[:1] if host in hostvars
    )


def unless_unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The hosts of a play that compares; none when there is nothing to compare."""
    return [] if unchanged(hosts, hostvars) else list(hosts)


def first_if_unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The hosts of a play that asks the cluster through one of them anyway."""
    return list(hosts[:1]) if unchanged(hosts, hostvars) else list(hosts)


def fingerprint(value: Any) -> str:
    """16 hex digits of any value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def left(hostvars: Mapping[str, Any], machine: Any) -> dict[str, Any]:
    """What the look at a machine said of how the last whole run left it."""
    facts = (hostvars[machine].get("preflight_machine") or {}).get("facts") or {}
    return facts.get("left") or {}


def changes_since_last_run(
    machines: Iterable[str], hostvars: Mapping[str, Any], declared: Any, stopped: Any = True
) -> list[str]:
    """Why the machines have to be compared with their declarations; empty when they need not.

    ``declared``: digest of the declarations, and fingerprint of what brokers have in force, or the
    first alone, where nobody was asked for the other. ``stopped``: whether it is a reason that a
    container was stopped.
    """
    found = []
    for name in machines:
        known = left(hostvars, name)
        was = known.get("declared") or []
        if not was:
            found.append(f"{name}: no whole run has left a note")
        elif was[: len(declared)] != list(declared):
            what = (
                "settings in force in brokers are" if was[0] == declared[0] else "a declaration is"
            )
            found.append(f"{name}: {what} not as in the last whole run")
        else:
            found += [f"{name}: {difference}" for difference in known["differs"]]
            found += [f"{name}: container {one} does not run" for one in known["still"] if stopped]
    more = [f"and {len(found) - SAID} more"] if len(found) > SAID else []
    return found[:SAID] + more


def stopped_containers(machines: Iterable[str], hostvars: Mapping[str, Any]) -> dict[str, Any]:
    """Kind of service by container, by machine: what is as it was left, but stopped."""
    stopped = {machine: left(hostvars, machine).get("still") or {} for machine in machines}
    return {machine: kinds for machine, kinds in stopped.items() if kinds}


def to_start(
    machines: Iterable[str], hostvars: Mapping[str, Any], kinds: Any, others: Any = False
) -> dict[str, Any]:
    """Names of containers by machine, out of C(site_still), which is the same on every host.

    Those of some kinds of service; ``others``: of all other kinds.
    """
    still = next((hostvars[name].get("site_still") for name in machines if name in hostvars), None)
    found = {
        machine: sorted(name for name, kind in stopped.items() if (kind in kinds) is not others)
        for machine, stopped in (still or {}).items()
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
