# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that select hosts by changes since the last complete run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..plugin_utils._operations import site_parts
from ..plugin_utils._operations.site_parts import REST

SINCE = "changed since the last complete run"
# Number of reasons that are reported; one is enough to compare everything.
REPORTED = 5


def changed_parts(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> set[str]:
    """Parts of the site to compare, equal for all hosts; REST, which is everything, if unknown."""
    known = hostvars[hosts[0]] if hosts and hosts[0] in hostvars else {}
    return set() if known.get("site_unchanged", False) else set(known.get("site_parts", [REST]))


def unless_unchanged(hosts: Sequence[str], hostvars: Mapping[str, Any], *parts: str) -> list[str]:
    """The hosts of a play that compares ``parts`` or the rest; none if these are unchanged."""
    return list(hosts) if changed_parts(hosts, hostvars) & {REST, *parts} else []


def unless_declared_before(
    hosts: Sequence[str], hostvars: Mapping[str, Any], machines: Iterable[str], part: str
) -> list[str]:
    """The hosts; none if ``part`` and the rest are declared as in the last complete run.

    internal_outdate.yml has read the digests from the baselines of ``machines``.
    """
    known = hostvars[hosts[0]] if hosts and hosts[0] in hostvars else {}
    now = known.get("site_declared") or {}
    before = [
        (hostvars[each].get("outdated_baseline") or {}).get("declared") or {}
        for each in machines
        if each in hostvars
    ]
    same = bool(before) and all(
        each.get(name) and each.get(name) == now.get(name)
        for each in before
        for name in (part, REST)
    )
    return [] if same else list(hosts)


def purged_store_digests(hostvars: Mapping[str, Any], brokers: Sequence[str]) -> list[str]:
    """Digests of the secret store before and after a run has deleted passwords; else none.

    internal_forget_passwords.yml deletes them, on the first of the ``brokers``.
    """
    known = hostvars.get(brokers[0], {})
    return list((known.get("content_forgotten") or {}).get("digests") or [])


def waiting_hosts(
    hosts: Sequence[str], hostvars: Mapping[str, Any], machines: Iterable[str], *parts: str
) -> list[str]:
    """The hosts of a play that waits until services of ``parts`` are healthy.

    None if these are unchanged, and every container of ``machines`` ran and was healthy when the
    run began. Without ``machines`` all hosts wait.
    """
    # A group may be empty, and a check of the playbooks' syntax has no variables of hosts.
    if not hosts or unless_unchanged(hosts, hostvars, *parts):
        return list(hosts)
    known = [baseline(hostvars, name) for name in machines]
    # Without a list, the machine was not read.
    well = all(each.get("unhealthy") == [] and not each.get("stopped") for each in known)
    return [] if known and well else list(hosts)


def fingerprint(value: Any) -> str:
    """16 hex digits of any value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def baseline(hostvars: Mapping[str, Any], machine: Any) -> dict[str, Any]:
    """The comparison of a machine with its baseline, from machine_info."""
    facts = (hostvars[machine].get("preflight_machine") or {}).get("facts") or {}
    return facts.get("baseline") or {}


def changes_since_last_run(
    machines: Iterable[str],
    hostvars: Mapping[str, Any],
    declared: Mapping[str, str],
    stopped: Any = True,
) -> dict[str, list[str]]:
    """What has to be compared with its declarations: C(parts), and the C(reasons) in words.

    ``declared``: digests of the declarations by part, optionally with C(settings), the fingerprint
    of the brokers' live settings. ``stopped``: whether a stopped container is a reason.
    """
    reasons: list[str] = []
    parts: set[str] = set()
    for name in machines:
        known = baseline(hostvars, name)
        last = known.get("declared")
        found = []
        if not isinstance(last, Mapping) or not last:
            # Baselines of earlier releases were lists.
            found.append((REST, "no complete run of it is known, or a verb has changed it since"))
        else:
            found += [
                (
                    part if part in site_parts.VARIABLES else REST,
                    f"{site_parts.NOUNS[part]} have {SINCE}",
                )
                for part, digest in declared.items()
                if last.get(part) != digest
            ]
            found += [(REST, difference) for difference in known["differs"]]
            found += [(REST, f"container {one} is stopped") for one in known["stopped"] if stopped]
        parts |= {part for part, _ in found}
        reasons += [f"{name}: {reason}" for _, reason in found]
    more = [f"and {len(reasons) - REPORTED} more"] if len(reasons) > REPORTED else []
    return {"parts": sorted(parts), "reasons": reasons[:REPORTED] + more}


def kinds_of_parts(parts: Iterable[str]) -> list[str]:
    """Kinds of services whose containers a run replaces if only these parts have changed."""
    return site_parts.kinds(list(parts))


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
            "kinds_of_parts": kinds_of_parts,
            "stopped_containers": stopped_containers,
            "changes_since_last_run": changes_since_last_run,
            "containers_to_start": to_start,
            "purged_store_digests": purged_store_digests,
            "unless_declared_before": unless_declared_before,
            "unless_unchanged": unless_unchanged,
            "waiting_hosts": waiting_hosts,
        }
