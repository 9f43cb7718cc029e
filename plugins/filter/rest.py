# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that leave out hosts of a site that is as the last whole run has left it."""

from __future__ import annotations

import hashlib
import json

# How many reasons are said; one is enough to compare everything.
SAID = 5


def at_rest(hosts, hostvars):
    """Whether the play that looks has found nothing to compare; it tells every host the same."""
    return any(hostvars[host].get("site_at_rest", False) for host in hosts[:1] if host in hostvars)


def unless_at_rest(hosts, hostvars):
    """The hosts of a play that compares; none when there is nothing to compare."""
    return [] if at_rest(hosts, hostvars) else list(hosts)


def one_at_rest(hosts, hostvars):
    """The hosts of a play that asks the cluster through one of them anyway."""
    return list(hosts[:1]) if at_rest(hosts, hostvars) else list(hosts)


def fingerprint(value):
    """16 hex digits of any value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def stirred(machines, hostvars, declared):
    """Why the machines have to be compared with their declarations; empty when they need not.

    ``declared``: digest of the declarations, and fingerprint of what brokers have in force.
    """
    found = []
    for name in machines:
        facts = (hostvars[name].get("preflight_machine") or {}).get("facts") or {}
        left = facts.get("left") or {}
        was = left.get("declared") or []
        if not was:
            found.append(f"{name}: no whole run has left a note")
        elif was != list(declared):
            what = (
                "settings in force in brokers are" if was[0] == declared[0] else "a declaration is"
            )
            found.append(f"{name}: {what} not as in the last whole run")
        else:
            found += [f"{name}: {difference}" for difference in left["differs"]]
    more = [f"and {len(found) - SAID} more"] if len(found) > SAID else []
    return found[:SAID] + more


class FilterModule:
    def filters(self):
        return {
            "fingerprint": fingerprint,
            "one_at_rest": one_at_rest,
            "stirred": stirred,
            "unless_at_rest": unless_at_rest,
        }
