# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting as long as something moves: what counts as progress, how long it may still take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.units import size_text
from .remaining_work import RemainingWork, about

# A broker that died may end several times on its own old registration, for 18 s by default.
CRASHES = 3
CRASH_SECONDS = 40
# Between two lines that only differ in figures.
LINE_SECONDS = 5


@dataclass(frozen=True)
class Sight:
    """What one look at a cluster says of how far it is; a smaller ``work`` is further.

    ``registered`` brokers of ``expected``. ``recovered`` logs of ``logs`` on the broker that
    starts, None while it does not say. ``lag`` bytes that replicas lack, None when unknown.
    """

    registered: int = 0
    expected: int = 0
    recovered: int | None = None
    logs: int = 0
    offline: int = 0
    under_replicated: int = 0
    lag: int | None = None
    moving: int = 0
    running: bool = True
    restarts: int = 0
    name: str = ""
    # What is said when nothing can be counted.
    problem: str = ""


def sight(found: Mapping[str, Any], expected: Sequence[int], name: str) -> Sight:
    """A sight out of the result of the module wait_for_cluster."""
    container = found.get("container") or {}
    recovered = found.get("recovered") or (None, 0)
    registered = {broker["id"] for broker in found["brokers"]}
    reasons = found.get("stop", {}).get("blockers") or found["problems"]
    return Sight(
        registered=len(registered & set(expected)) if expected else len(registered),
        expected=len(expected),
        recovered=recovered[0],
        logs=recovered[1],
        offline=len(found["offline"]),
        under_replicated=len(found["under_replicated"]),
        lag=found.get("lag_bytes"),
        moving=len(found["reassignments"]),
        running=container.get("running", True),
        restarts=container.get("restarts", 0),
        name=name,
        problem=reasons[0] if reasons else "",
    )


def further(best: Sight, now: Sight) -> bool:
    """Whether ``now`` is further than anything seen so far.

    Against the best, not the last: a broker that comes and goes makes no progress.
    """
    if now.registered != best.registered:
        return now.registered > best.registered
    if (now.recovered or 0) > (best.recovered or 0):
        return True
    # Without an answer there are no partitions to count: that is not progress.
    if not now.registered:
        return False
    counts = (
        (now.offline, best.offline),
        (now.under_replicated, best.under_replicated),
        (now.moving, best.moving),
    )
    if any(one < other for one, other in counts):
        return True
    return now.lag is not None and best.lag is not None and now.lag < best.lag


def kind(now: Sight) -> tuple[str, float]:
    """What is being waited for, and the work that is left of it."""
    if not now.running:
        return "container", 0
    missing = now.expected - now.registered
    if missing > 0 and now.recovered is not None and now.recovered < now.logs:
        return "recovery", now.logs - now.recovered
    if missing > 0:
        return "registration", missing
    if now.under_replicated and now.lag is not None:
        return "lag", now.lag
    if now.under_replicated:
        return "replicas", now.under_replicated
    return "rest", 0


def line(now: Sight, left: float | None) -> str:
    """One message on what is being waited for."""
    what, _ = kind(now)
    rest = about(left)
    who = f"{now.name}: " if now.name else ""
    if what == "container":
        return f"{who}its container does not run, restarted {now.restarts} times by the engine"
    if what == "recovery":
        return f"{who}log recovery {now.recovered} of {now.logs}{rest}"
    if what == "registration":
        return f"{who}{now.registered} of {now.expected} brokers are registered{rest}"
    noun = "partition" if now.under_replicated == 1 else "partitions"
    if what == "lag" and now.lag:
        return f"{now.under_replicated} {noun} under-replicated, {size_text(now.lag)} behind{rest}"
    if what in ("lag", "replicas"):
        return f"{now.under_replicated} {noun} under-replicated{rest}"
    return now.problem


@dataclass
class Progress:
    """Follows a wait: says what moved, and when it has stalled for ``stall_timeout`` seconds."""

    stall_timeout: float
    begun: float
    best: Sight | None = None
    moved: float = 0.0
    work: RemainingWork = field(default_factory=RemainingWork)
    kind: str = ""
    said: str = ""
    said_at: float = 0.0

    def see(self, moment: float, now: Sight) -> str:
        """A line to print about this look, empty when there is no news."""
        if self.best is None or further(self.best, now):
            self.best, self.moved = now, moment
        what, left = kind(now)
        news = what != self.kind
        if news:
            self.kind, self.work = what, RemainingWork()
        self.work.note(moment, left)
        text = line(now, self.work.seconds())
        if text == self.said or not (news or moment - self.said_at >= LINE_SECONDS):
            return ""
        self.said, self.said_at = text, moment
        return text

    def stalled(self, moment: float) -> bool:
        """Whether nothing has moved for ``stall_timeout`` seconds."""
        return moment - self.moved >= self.stall_timeout

    def crashes(self, moment: float, now: Sight) -> bool:
        """Whether its container ends again and again, for longer than it has an excuse."""
        return now.restarts > CRASHES and moment - self.begun > CRASH_SECONDS
