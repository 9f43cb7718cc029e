"""How many records a batch may read, from what waits and what the query can do.

Small batches answer soon, large ones cost less per record. So a query that keeps up reads what one
trigger brings, one that lags reads for as long as nobody minds, and none reads more than the
declaration allows, which bounds what a batch can need.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

# A batch of a query that lags lasts about so long: long enough to be cheap, short enough that a
# crash repeats little and that stopping between batches is possible.
CATCH_UP_S = 10.0
# Of what was measured; rates of few cores vary.
HEADROOM = 0.8
# The first batches of a JVM are many times slower than the later ones: less says nothing.
LEAST = 1_000


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured of a query: records/s it can do, and records that wait for it."""

    capacity: float
    lag: int


def capacity_of(progress: Iterable[Mapping[str, Any]]) -> float | None:
    """Records/s that a query can do, from what Spark tells of its batches; None when unknown.

    Batches of few records are as slow as what surrounds them, and count for nothing.
    """
    rates = [
        each["processedRowsPerSecond"]
        for each in progress
        if each["numInputRows"] >= LEAST and each["processedRowsPerSecond"] > 0
    ]
    return median(rates) if rates else None


def limit(load: Load | None, trigger_s: float, ceiling: int) -> int:
    """Records of one batch at most; ``ceiling`` when nothing was measured.

    ``ceiling`` is the declaration's ``max_per_trigger``, ``trigger_s`` the time between batches.
    """
    if load is None or load.capacity <= 0:
        return ceiling
    in_time = load.capacity * HEADROOM * max(trigger_s, 1.0)
    if load.lag > in_time:
        in_time = max(in_time, load.capacity * CATCH_UP_S)
    return min(ceiling, max(LEAST, int(in_time)))
