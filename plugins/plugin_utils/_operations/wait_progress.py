# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of a wait for the cluster: what counts as progress, and the remaining time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.units import size_text
from .remaining_work import RemainingWork, remaining_suffix

# A crashed broker may exit several times while its old registration exists, 18 s by default.
CRASHES = 3
CRASH_SECONDS = 40
# Seconds between two lines that only differ in numbers.
LINE_SECONDS = 5


@dataclass(frozen=True)
class Observation:
    """The state of a cluster at one moment, for measuring progress.

    ``registered`` brokers of ``expected``. ``recovered`` logs of ``logs`` on the starting broker,
    None if unknown. ``lag``: bytes that replicas still have to fetch, None if unknown.
    """

    registered: int = 0
    expected: int = 0
    recovered: int | None = None
    logs: int = 0
    offline: int = 0
    under_replicated: int = 0
    lag: int | None = None
    # All partitions of the cluster, 0 if unknown.
    partitions: int = 0
    moving: int = 0
    running: bool = True
    restarts: int = 0
    name: str = ""
    # The message if no amount is known.
    problem: str = ""


def observe(found: Mapping[str, Any], expected: Sequence[int], name: str) -> Observation:
    """Return the observation in a result of the module wait_for_cluster."""
    container = found.get("container") or {}
    recovered = found.get("recovered") or (None, 0)
    registered = {broker["id"] for broker in found["brokers"]}
    reasons = found.get("stop", {}).get("blockers") or found["problems"]
    return Observation(
        registered=len(registered & set(expected)) if expected else len(registered),
        expected=len(expected),
        recovered=recovered[0],
        logs=recovered[1],
        offline=len(found["offline"]),
        under_replicated=len(found["under_replicated"]),
        lag=found.get("lag_bytes"),
        partitions=found.get("partitions") or 0,
        moving=len(found["reassignments"]),
        running=container.get("running", True),
        restarts=container.get("restarts", 0),
        name=name,
        problem=reasons[0] if reasons else "",
    )


def is_further(best: Observation, now: Observation) -> bool:
    """Whether ``now`` is further than ``best``, the best observation so far.

    The best counts, not the last: a broker that restarts repeatedly makes no progress.
    """
    if now.registered != best.registered:
        return now.registered > best.registered
    if (now.recovered or 0) > (best.recovered or 0):
        return True
    # If no broker responds, partitions cannot be counted: zero is no progress.
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


def wait_subject(now: Observation) -> tuple[str, float]:
    """Return the current subject of the wait, and its remaining amount."""
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


def in_sync(now: Observation) -> str:
    """Return the number of partitions whose replicas are all in sync, or of the others."""
    if now.partitions:
        return f"{now.partitions - now.under_replicated} of {now.partitions} partitions in sync"
    noun = "partition" if now.under_replicated == 1 else "partitions"
    return f"{now.under_replicated} {noun} under-replicated"


def progress_message(now: Observation, left: float | None) -> str:
    """Return the progress message; ``left`` is the remaining time in seconds."""
    what, _ = wait_subject(now)
    rest = remaining_suffix(left)
    prefix = f"{now.name}: " if now.name else ""
    if what == "container":
        return f"{prefix}the container is not running, restarted {now.restarts} times by the engine"
    if what == "recovery":
        return f"{prefix}log recovery {now.recovered} of {now.logs}{rest}"
    if what == "registration":
        return f"{prefix}{now.registered} of {now.expected} brokers are registered{rest}"
    if what in ("lag", "replicas"):
        return in_sync(now) + (f", {size_text(now.lag)} behind" if now.lag else "") + rest
    return now.problem


@dataclass
class Progress:
    """Progress of one wait, which stalls after ``stall_timeout`` seconds without progress."""

    stall_timeout: float
    begun: float
    best: Observation | None = None
    moved: float = 0.0
    work: RemainingWork = field(default_factory=RemainingWork)
    kind: str = ""
    printed: str = ""
    printed_at: float = 0.0
    # Done and whole amount of the current subject; the whole is 0 if it has none.
    done: float = 0.0
    total: float = 0.0

    def see(self, moment: float, now: Observation) -> str:
        """Add an observation and return a line to print; empty if there is nothing new."""
        if self.best is None or is_further(self.best, now):
            self.best, self.moved = now, moment
        what, left = wait_subject(now)
        news = what != self.kind
        if news:
            self.kind, self.work = what, RemainingWork()
        self.work.note(moment, left)
        self.total = self.work.total
        self.done = self.total - left
        if what in ("lag", "replicas") and now.partitions:
            self.done, self.total = now.partitions - now.under_replicated, now.partitions
        text = progress_message(now, self.work.seconds())
        if text == self.printed or not (news or moment - self.printed_at >= LINE_SECONDS):
            return ""
        self.printed, self.printed_at = text, moment
        return text

    def stalled(self, moment: float) -> bool:
        """Whether there was no progress for ``stall_timeout`` seconds."""
        return moment - self.moved >= self.stall_timeout

    def crashes(self, moment: float, now: Observation) -> bool:
        """Whether the container keeps exiting after its old registration must have expired."""
        return now.restarts > CRASHES and moment - self.begun > CRASH_SECONDS
