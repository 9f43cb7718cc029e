# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The restart order of a roll: batches of hosts, and hosts that restart last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True)
class RollHost:
    """One host of a roll.

    ``leads``: the host has the controller or leader and restarts last. ``together``: its whole rack
    restarts at once. ``deferred``: it became the leader during the roll, and restarts at the end.
    """

    host: str
    rack: str = ""
    leads: bool = False
    together: bool = False
    deferred: bool = False


def read(hosts: Iterable[Mapping[str, Any]]) -> list[RollHost]:
    """Read the hosts of a roll from their variables; hosts without roll_restart_order are left out.

    Each host's ``roll_restart_order`` has the keys ``rack``, ``leads`` and ``together``.
    """
    return [
        RollHost(
            host=str(host["inventory_hostname"]),
            rack=str(host["roll_restart_order"].get("rack") or ""),
            leads=bool(host["roll_restart_order"].get("leads")),
            together=bool(host["roll_restart_order"].get("together")),
            deferred=bool(host.get("roll_deferred")),
        )
        for host in hosts
        if host.get("roll_restart_order")
    ]


def batches(hosts: Sequence[RollHost]) -> list[list[str]]:
    """Return the batches of hosts that restart at the same time, rack by rack, without leaders.

    The leader's rack comes last, so that hosts of only one rack are restarted at any time.
    """
    last = {host.rack for host in hosts if host.leads}
    ordered = sorted(
        hosts, key=lambda host: (host.rack in last, host.rack, natural_sort_key(host.host))
    )
    found: list[list[str]] = []
    for _, members in groupby(ordered, key=lambda host: host.rack):
        rack = [host for host in members if not host.leads]
        at_once = [host.host for host in rack if host.together]
        found += [[host.host] for host in rack if not host.together]
        found += [at_once] if at_once else []
    return found


def last_hosts(hosts: Sequence[RollHost]) -> list[str]:
    """Hosts that restart last, one by one: first the old leaders, then the new ones."""
    return [host.host for host in hosts if host.leads] + [
        host.host for host in hosts if host.deferred and not host.leads
    ]


def natural_sort_key(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Sort key for names with numbers: kafka2 comes before kafka10."""
    parts = ("".join(part) for _, part in groupby(name, key=str.isdecimal))
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)


def hosts_in_state(hosts: Iterable[Mapping[str, Any]], *states: str) -> list[str]:
    """Names of hosts whose container is in one of ``states``."""
    return [
        str(host["inventory_hostname"]) for host in hosts if host.get("service_state") in states
    ]


def failure_message(
    host: str,
    role: str,
    reason: str,
    *,
    stopped: bool,
    brought_back: bool,
    undone: Sequence[str],
    log: Sequence[str],
) -> str:
    """Return the message of a failed roll: host, reason, rollback, and the container's log tail."""
    what = role.replace("_", " ")
    if not stopped:
        return f"{host}: the {what} was not stopped, nor any later host. {reason}"
    parts = [f"{host}: the {what} did not become healthy as declared. {reason}"]
    if undone:
        parts.append(f"Differences from its last good declaration: {'; '.join(undone)}.")
    if brought_back:
        parts.append("Its last good declaration was restored, and the cluster is healthy.")
    parts.append("Later hosts were not changed.")
    if log:
        parts.append("\n".join(["Log tail:", *log]))
    return "\n".join(parts)
