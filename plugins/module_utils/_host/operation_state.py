# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""An operation on a cluster as its machines show it, as messages for status, plan and preflight.

``look`` runs on a machine, with nothing but Python's library; ``messages`` on the control node,
which alone can tell whether a process there is dead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from . import maintenance_files, operation_lock

# An operation elsewhere that was not active for so many seconds may be dead. Building images, or a
# broker's slow stop, takes less.
QUIET_S = 1800
# How an interrupted operation is resumed, by the text in its lock. Everything else is by `make up`.
VERBS = {
    "restart of all": "make restart",
    "restart of ensemble": "make restart S=ensemble",
    "restart of kafka": "make restart S=kafka",
    "reboot of machines": "make reboot",
    "upgrade": "make upgrade",
    "end of an upgrade": "make upgrade FINISH=1",
    "secure": "make secure",
    "split of the trust of ZooKeeper": "make zookeeper-trust",
}


def look(
    cluster: str, directory: str = "", locks: str = operation_lock.DIRECTORY
) -> dict[str, Any]:
    """The lock, last activity and silence on this machine; its clock as ``now``."""
    found = operation_lock.read(os.path.join(locks, f"{cluster}.json"))
    return {
        "now": time.time(),
        "lock": found.as_dict() if found else None,
        **maintenance_files.read(directory, cluster),
    }


def messages(
    found: Iterable[Mapping[str, Any] | None], me: operation_lock.Owner
) -> tuple[list[str], list[str]]:
    """Problems and notes on the operation that machines show; ``found`` are their answers."""
    machines = [each for each in found if each]
    silent = _silent(machines)
    locked = [each for each in machines if each["lock"]]
    if not locked:
        return [], [silent] if silent else []
    # Machines of one operation differ in their clocks alone.
    first = min(locked, key=lambda each: float(each["lock"]["since"]))
    held, owner = first["lock"], operation_lock.Owner(**first["lock"]["owner"])
    what = f"{held['operation']} by {owner.user} on {owner.node}, begun {moment(held['since'])}"
    more = f"; {silent}" if silent else ""
    if operation_lock.dead(owner, me):
        return [f"interrupted: {what}{more}; {_next(held['operation'])}"], []
    active = max(float(each["active"]) for each in machines)
    quiet = min(each["now"] for each in machines) - active
    if _elsewhere(owner, me) and active and quiet > QUIET_S:
        return [
            f"not active for {quiet / 60:.0f} min, maybe interrupted: {what}{more}; when process "
            f"{owner.pid} on {owner.node} has ended: make up ARGS='-e unlock={held['token']}'"
        ], []
    return [], [f"under way: {what}, process {owner.pid}{more}"]


def moment(seconds: float) -> str:
    """A moment as an operator reads it."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(float(seconds)))


def _elsewhere(owner: operation_lock.Owner, me: operation_lock.Owner) -> bool:
    """Whether it cannot be told from here if a process lives."""
    return (owner.node, owner.namespace) != (me.node, me.namespace)


def _next(operation: str) -> str:
    """What ends an interrupted operation."""
    verb = VERBS.get(operation)
    again = f", `{verb}` goes on with it" if verb else ""
    return f"`make up` starts what it left stopped and releases its lock{again}"


def _silent(machines: Iterable[Mapping[str, Any]]) -> str:
    """What is silent until when; empty when nothing is. One name may stand on several machines."""
    until: dict[str, float] = {}
    for each in machines:
        for name, end in each["silent"].items():
            if end > each["now"]:
                until[name] = max(end, until.get(name, 0.0))
    if not until:
        return ""
    return f"alerts of {', '.join(sorted(until))} are silent until {moment(max(until.values()))}"
