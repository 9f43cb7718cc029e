# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Carry out moves between log dirs for a while: start a batch, wait for it, look again.

Everything is derived from the cluster each time, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from .._common.deadlines import Deadline
from .broker_replicas import ReplicaConnection
from .log_dir_model import Dir, LogDirError, Plan
from .log_dirs import batch, drain, messages, require_empty, share, when_done

LOOK = 1.0
GOALS = ("shared", "drained", "empty")


def plan_for(goal: str, dirs: Sequence[Dir], path: str) -> Plan:
    """The moves that a goal takes; raises LogDirError when it cannot be met."""
    if goal == "empty":
        # A dir that the broker has no more is what comes after the empty one.
        if any(each.path == path for each in dirs):
            require_empty(dirs, path)
        return Plan()
    return share(dirs, path) if goal == "shared" else drain(dirs, path)


def bytes_left(dirs: Sequence[Dir], plan: Plan) -> int:
    """Bytes that are still to be copied."""
    full = {r.name: r.size for each in when_done(dirs).values() for r in each.replicas}
    coming = sum(full[replica.name] - replica.size for replica in plan.arriving)
    return sum(move.replica.size for move in plan.moves) + coming


def with_new(dirs: Sequence[Dir], path: str) -> list[Dir]:
    """The dirs, and ``path`` as an empty one where the broker does not know it yet."""
    if any(each.path == path for each in dirs):
        return list(dirs)
    largest = max((each.total for each in dirs), default=0)
    return [*dirs, Dir(path, (), largest, largest)]


def report(dirs: Sequence[Dir], path: str, plan: Plan) -> dict[str, Any]:
    """Where the work stands, in plain types."""
    return {
        "done": plan.done,
        "left": bytes_left(dirs, plan),
        "replicas_left": len(plan.moves) + len(plan.arriving),
        "steps": messages(plan),
        "dirs": [
            {
                "path": each.path,
                "replicas": len(each.settled),
                "bytes": sum(replica.size for replica in each.settled),
                "usable": each.usable,
                "error": each.error,
            }
            for each in dirs
        ],
        "replicas": sum(len(each.replicas) for each in dirs if each.path == path),
    }


def preview(connection: ReplicaConnection, broker: int, path: str, goal: str) -> dict[str, Any]:
    """What would be done, without doing it; a dir that is yet to come is taken for empty."""
    dirs = connection.dirs(broker)
    if goal == "shared":
        dirs = with_new(dirs, path)
    return report(dirs, path, plan_for(goal, dirs, path))


def work(
    connection: ReplicaConnection, broker: int, path: str, goal: str, rate: int, seconds: float
) -> dict[str, Any]:
    """Work on a goal for about so many seconds; ``changed`` says whether anything was ordered.

    The limit of moves stays in force between two calls, and is lifted when nothing is left to do.
    Raises LogDirError or ClusterError, with the limit lifted.
    """
    deadline = Deadline(seconds)
    changed = False
    try:
        while True:
            dirs = connection.dirs(broker)
            plan = plan_for(goal, dirs, path)
            if plan.moves and not plan.arriving:
                connection.limit(broker, rate)
                connection.move(broker, batch(plan.moves))
                changed = True
            if plan.done:
                # Also one that a killed run has left behind.
                changed |= connection.limit(broker, None)
            if plan.done or deadline.passed():
                return {"changed": changed, **report(dirs, path, plan)}
            # A broker is asked for its log dirs; once a second costs it nothing.
            time.sleep(LOOK)
    except LogDirError:
        connection.limit(broker, None)
        raise
