# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The order of a roll: who restarts with whom, and who after whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True)
class Turn:
    """One host of a roll.

    ``leads``: the controller or leader, which goes last; ``together``: its whole rack restarts at
    once; ``deferred``: it came to lead before its turn and waits for the end.
    """

    host: str
    rack: str = ""
    leads: bool = False
    together: bool = False
    deferred: bool = False


def read(hosts: Iterable[Mapping[str, Any]]) -> list[Turn]:
    """Turns out of the variables of hosts; those that were given none take no part."""
    return [
        Turn(
            host=str(host["inventory_hostname"]),
            rack=str(host["roll_restart_order"].get("rack") or ""),
            leads=bool(host["roll_restart_order"].get("leads")),
            together=bool(host["roll_restart_order"].get("together")),
            deferred=bool(host.get("roll_deferred")),
        )
        for host in hosts
        if host.get("roll_restart_order")
    ]


def batches(turns: Sequence[Turn]) -> list[list[str]]:
    """Hosts that restart at the same time, rack by rack; those that lead are not among them.

    The rack of the leader comes last, so that it is one rack that is being worked on at any time.
    """
    last = {turn.rack for turn in turns if turn.leads}
    ordered = sorted(turns, key=lambda turn: (turn.rack in last, turn.rack, natural(turn.host)))
    found: list[list[str]] = []
    for _, members in groupby(ordered, key=lambda turn: turn.rack):
        rack = [turn for turn in members if not turn.leads]
        at_once = [turn.host for turn in rack if turn.together]
        found += [[turn.host] for turn in rack if not turn.together]
        found += [at_once] if at_once else []
    return found


def at_the_end(turns: Sequence[Turn]) -> list[str]:
    """Hosts that restart after all others, one by one: first who led, then who took over."""
    return [turn.host for turn in turns if turn.leads] + [
        turn.host for turn in turns if turn.deferred and not turn.leads
    ]


def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """A key by which kafka2 comes before kafka10."""
    parts = ("".join(part) for _, part in groupby(name, key=str.isdecimal))
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)


def in_state(hosts: Iterable[Mapping[str, Any]], *states: str) -> list[str]:
    """Names of hosts whose container was found in one of ``states``."""
    return [
        str(host["inventory_hostname"]) for host in hosts if host.get("service_state") in states
    ]


def failure(
    host: str,
    role: str,
    reason: str,
    *,
    stopped: bool,
    brought_back: bool,
    undone: Sequence[str],
    log: Sequence[str],
) -> str:
    """What an operator reads when a roll ends early: who, why, what was done, last words."""
    what = role.replace("_", " ")
    if not stopped:
        return f"{host}: the {what} was not stopped, and nobody after it. {reason}"
    parts = [f"{host}: the {what} did not become healthy as declared. {reason}"]
    if undone:
        parts.append(f"It differs from its last good declaration in: {'; '.join(undone)}.")
    if brought_back:
        parts.append("It is back on its last good declaration and the cluster is healthy.")
    parts.append("Nobody after it was touched.")
    if log:
        parts.append("\n".join(["The end of its log:", *log]))
    return "\n".join(parts)
