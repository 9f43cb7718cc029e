"""Records that a pipeline has read, and how many of them are invalid.

The query of the invalid records reads each record of the source once, whatever outputs there are.
Spark counts its records while a batch runs, without a second read.

A batch counts once, when Spark has committed it: failed tasks and batches report nothing. The
newest batch is not counted if the query is stopped in the second after its commit. Counts start at
zero with the driver. Rows too large for an output's topic are of accepted records.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_metal_pipeline.transforms import ACCEPTED, REJECTED

# Names of Spark's observations in the progress of a batch.
VALIDATED, REJECTIONS = "kafka_metal_validated", "kafka_metal_rejections"
# Seconds of the recent counts in the status.
RECENT_S = 300
# Maximum characters of a reason.
REASON_CHARACTERS = 200
# Before the value of a record in a detail: the status is not for the content of records.
FOUND = ", found "


@dataclass(frozen=True, slots=True)
class Records:
    """Records of some batches; ``reason`` is that of the newest invalid one, empty without one."""

    read: int = 0
    invalid: int = 0
    reason: str = ""

    def __add__(self, later: "Records") -> "Records":
        """Return the sums, with the reason of the later batches if they have one."""
        return Records(
            self.read + later.read, self.invalid + later.invalid, later.reason or self.reason
        )


def observe_validated(validated: DataFrame) -> DataFrame:
    """Return the columns of validated records that rejected ones need, counting all records."""
    return validated.select(ACCEPTED, REJECTED).observe(
        VALIDATED, F.count(F.lit(1)).alias("records")
    )


def observe_rejected(rejected: DataFrame) -> DataFrame:
    """Return rejected records unchanged, counting them and keeping the newest reason."""
    detail = F.substring_index("_detail", FOUND, 1)
    reason = F.substring(F.concat_ws(": ", "_reason", detail), 1, REASON_CHARACTERS)
    newest = F.max_by(reason, F.struct("_timestamp", "_offset"))
    return rejected.observe(REJECTIONS, F.count(F.lit(1)).alias("records"), newest.alias("reason"))


def of_batches(batches: Iterable[Mapping[str, Any]]) -> Records:
    """Return the records of reported batches, oldest first; none for queries without counts."""
    found = Records()
    for batch in batches:
        observed = batch.get("observedMetrics") or {}
        if VALIDATED in observed and REJECTIONS in observed:
            rejected = observed[REJECTIONS]
            found += Records(
                int(observed[VALIDATED]["records"]),
                int(rejected["records"]),
                rejected["reason"] or "",
            )
    return found


class Counts:
    """Records since the driver's start and in the last RECENT_S seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start at zero."""
        self._clock = clock
        self._total = Records()
        self._recent: deque[tuple[float, Records]] = deque()

    def add(self, records: Records) -> None:
        """Add the records of batches that have just finished."""
        if records.read:
            self._total += records
            self._recent.append((self._clock(), records))
        self._forget()

    def snapshot(self) -> dict[str, Any]:
        """Return read, invalid, reason, and ``recent`` with seconds, read and invalid."""
        self._forget()
        recent = sum((each for _, each in self._recent), Records())
        return {
            "read": self._total.read,
            "invalid": self._total.invalid,
            "reason": self._total.reason,
            "recent": {"seconds": RECENT_S, "read": recent.read, "invalid": recent.invalid},
        }

    def _forget(self) -> None:
        while self._recent and self._clock() - self._recent[0][0] > RECENT_S:
            self._recent.popleft()
