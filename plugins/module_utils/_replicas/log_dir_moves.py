# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Move replicas between log dirs in batches, for a limited time.

The plan is derived from the cluster each time, so a new run continues an interrupted one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from .._common.deadlines import Deadline
from .broker_replicas import ReplicaConnection
from .log_dir_model import Dir, LogDirError, Plan
from .log_dirs import first_moves, messages, plan_drain, plan_share, require_empty, when_done

POLL_INTERVAL = 1.0
GOALS = ("balanced", "drained", "empty")


def plan_moves(goal: str, dirs: Sequence[Dir], path: str) -> Plan:
    """Return the moves to a goal; raises LogDirError if it cannot be reached."""
    if goal == "empty":
        # A log dir that was removed from the broker counts as empty.
        if any(each.path == path for each in dirs):
            require_empty(dirs, path)
        return Plan()
    return plan_share(dirs, path) if goal == "balanced" else plan_drain(dirs, path)


def bytes_left(dirs: Sequence[Dir], plan: Plan) -> int:
    """Return the bytes still to be copied."""
    full = {r.name: r.size for each in when_done(dirs).values() for r in each.replicas}
    under_way = sum(full[replica.name] - replica.size for replica in plan.future)
    return sum(move.replica.size for move in plan.moves) + under_way


def add_new_dir(dirs: Sequence[Dir], path: str) -> list[Dir]:
    """Return the dirs, with ``path`` as an empty one if the broker does not have it yet."""
    if any(each.path == path for each in dirs):
        return list(dirs)
    largest = max((each.total for each in dirs), default=0)
    return [*dirs, Dir(path, (), largest, largest)]


def report(dirs: Sequence[Dir], path: str, plan: Plan) -> dict[str, Any]:
    """Return the progress in plain types."""
    return {
        "done": plan.done,
        "remaining": bytes_left(dirs, plan),
        "remaining_replicas": len(plan.moves) + len(plan.future),
        "steps": messages(plan),
        "dirs": [
            {
                "path": each.path,
                "replicas": len(each.complete),
                "bytes": sum(replica.size for replica in each.complete),
                "usable": each.usable,
                "error": each.error,
            }
            for each in dirs
        ],
        "replicas": sum(len(each.replicas) for each in dirs if each.path == path),
    }


def preview(connection: ReplicaConnection, broker: int, path: str, goal: str) -> dict[str, Any]:
    """Return the planned moves without starting them; a missing log dir counts as empty."""
    dirs = connection.dirs(broker)
    if goal == "balanced":
        dirs = add_new_dir(dirs, path)
    return report(dirs, path, plan_moves(goal, dirs, path))


def run_moves(
    connection: ReplicaConnection, broker: int, path: str, goal: str, rate: int, seconds: float
) -> dict[str, Any]:
    """Move replicas towards a goal for about ``seconds``; return the progress and ``changed``.

    The limit ``rate`` (bytes per second) stays effective between two calls, and is removed when
    the goal is reached, or before LogDirError. Raises LogDirError or ClusterError.
    """
    deadline = Deadline(seconds)
    changed = False
    try:
        while True:
            dirs = connection.dirs(broker)
            plan = plan_moves(goal, dirs, path)
            if plan.moves and not plan.future:
                connection.limit(broker, rate)
                connection.move(broker, first_moves(plan.moves))
                changed = True
            if plan.done:
                # This also removes the limit of a run that was killed.
                changed |= connection.limit(broker, None)
            if plan.done or deadline.passed():
                return {"changed": changed, **report(dirs, path, plan)}
            time.sleep(POLL_INTERVAL)
    except LogDirError:
        connection.limit(broker, None)
        raise
