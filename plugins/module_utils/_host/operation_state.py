# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State of an operation on a cluster, as messages for status, plan and preflight.

``read`` runs on a machine, with Python's standard library only; ``messages`` on the control node,
because only there it can be checked whether the owner's process is alive.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .._problems.messages import utc_time
from .._problems.operation_rules import INACTIVE_S
from . import maintenance_files, operation_lock

# Commands that resume an interrupted operation, by its name in the lock; for others `make up`.
VERBS = {
    "restart of all": "make restart",
    "restart of zookeeper": "make restart S=zookeeper",
    "restart of kafka": "make restart S=kafka",
    "reboot of machines": "make reboot",
    "upgrade": "make upgrade",
    "end of an upgrade": "make upgrade FINISH=1",
    "secure": "make secure",
    "change of content": "make topics",
    "change of pipelines": "make pipelines",
    "split of the trust of ZooKeeper": "make zookeeper-trust",
}


def read(
    cluster: str, directory: str = "", locks: str = operation_lock.DIRECTORY
) -> dict[str, Any]:
    """Return the lock, last activity and silences on this machine; ``now`` is its clock."""
    found = operation_lock.read(os.path.join(locks, f"{cluster}.json"))
    return {
        "now": time.time(),
        "lock": found.as_dict() if found else None,
        **maintenance_files.read(directory, cluster),
    }


def messages(
    found: Iterable[Mapping[str, Any] | None], me: operation_lock.Owner
) -> tuple[list[str], list[str]]:
    """Return problems and notes on the operation; ``found`` has the results of ``read``."""
    machines = [each for each in found if each]
    silent = _silence_note(machines)
    locked = [each for each in machines if each["lock"]]
    if not locked:
        return [], [silent] if silent else []
    # Locks of one operation differ only by the clocks of their machines.
    first = min(locked, key=lambda each: float(each["lock"]["since"]))
    held, owner = first["lock"], operation_lock.Owner(**first["lock"]["owner"])
    what = f"{held['operation']} by {owner.user} on {owner.node}, begun {utc_time(held['since'])}"
    more = f"; {silent}" if silent else ""
    if operation_lock.has_ended(owner, me):
        return [f"interrupted: {what}{more}; {_next_step(held['operation'])}"], []
    active = max(float(each["active"]) for each in machines)
    inactive = min(each["now"] for each in machines) - active
    if _is_other_node(owner, me) and active and inactive > INACTIVE_S:
        return [
            f"not active for {inactive / 60:.0f} min, maybe interrupted: {what}{more}; if process "
            f"{owner.pid} on {owner.node} has ended: make up ARGS='-e unlock={held['token']}'"
        ], []
    return [], [f"under way: {what}, process {owner.pid}{more}"]


def _is_other_node(owner: operation_lock.Owner, me: operation_lock.Owner) -> bool:
    """Whether this node cannot check that the process is alive."""
    return (owner.node, owner.namespace) != (me.node, me.namespace)


def _next_step(operation: str) -> str:
    """Return how to end an interrupted operation."""
    verb = VERBS.get(operation_lock.current_name(operation))
    again = f", `{verb}` resumes it" if verb else ""
    return f"`make up` starts stopped services and releases its lock{again}"


def _silence_note(machines: Iterable[Mapping[str, Any]]) -> str:
    """Return a note on silenced alerts; empty without any. Several machines may have one name."""
    until: dict[str, float] = {}
    for each in machines:
        for name, end in each["silenced_until"].items():
            if end > each["now"]:
                until[name] = max(end, until.get(name, 0.0))
    if not until:
        return ""
    end = utc_time(max(until.values()))
    return f"alerts of {', '.join(sorted(until))} are silenced until {end}"
