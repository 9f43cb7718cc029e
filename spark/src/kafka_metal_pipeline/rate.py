"""The maximum records per batch, from a query's lag and throughput.

Small batches have low latency, large ones low cost per record. A query that keeps up gets the
records of one trigger interval. A lagging one gets batches of CATCH_UP_S. The declaration's limit
bounds both, and with it the resources of a batch.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

# Seconds per batch of a lagging query: long enough to be efficient, short enough that a crash
# repeats little and a stop between batches is possible.
CATCH_UP_S = 10.0
# Fraction of the measured throughput that is used; rates vary on few cores.
HEADROOM = 0.8
# Minimum records of a batch for a measurement: a JVM's first batches are many times slower.
LEAST = 1_000
# A limit that this many batches in a row have reached, and fraction of it that counts as reached:
# the shares of partitions are rounded.
REACHED, REACHED_SHARE = 3, 0.9
# Least factor by which a limit is raised: a query that reads alone is restarted for it.
RAISE_FACTOR = 2


@dataclass(frozen=True, slots=True)
class Load:
    """Measurements of a query: throughput in records/s, and lag in records."""

    capacity: float
    lag: int


def read_throughput(progress: Iterable[Mapping[str, Any]]) -> float | None:
    """Return a query's throughput in records/s from Spark's reports; None if unknown.

    Batches with few records are ignored: most of their duration is overhead.
    """
    rates = [
        each["processedRowsPerSecond"]
        for each in progress
        if each["numInputRows"] >= LEAST and each["processedRowsPerSecond"] > 0
    ]
    return median(rates) if rates else None


def batch_limit(load: Load | None, planned_s: float, ceiling: int) -> int:
    """Return the maximum records of a batch; ``ceiling`` without a measurement.

    ``ceiling`` is the declaration's ``max_per_trigger``, ``planned_s`` the seconds for a batch.
    """
    if load is None or load.capacity <= 0:
        return ceiling
    in_time = load.capacity * HEADROOM * planned_s
    if load.lag > in_time:
        in_time = max(in_time, load.capacity * CATCH_UP_S)
    return min(ceiling, max(LEAST, int(in_time)))


def raised_limit(
    limit: int, progress: Sequence[Mapping[str, Any]], planned_s: float, ceiling: int
) -> int | None:
    """Return a higher limit for a query that lags and could read more; None if its limit fits.

    A limit is measured before a start. On a machine that was busy then, a query would keep a
    fraction of its throughput forever, and lag until retention deletes what it has not read.
    ``progress`` are Spark's reports, the newest last; ``planned_s`` the seconds for a batch.
    """
    newest = progress[-REACHED:]
    reached = [each for each in newest if each["numInputRows"] >= REACHED_SHARE * limit]
    if len(reached) < REACHED:
        return None
    throughput = median(each["processedRowsPerSecond"] for each in newest)
    wanted = batch_limit(Load(throughput, ceiling), planned_s, ceiling)
    return wanted if wanted >= RAISE_FACTOR * limit else None
