"""Consumer lag in records and in seconds, computed without reading records.

Every read of a partition's end offset adds a sample of time and offset. For a group that committed
offset 700, the lag is the time since the end offset passed 700, interpolated between two samples.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Partition = tuple[str, int]
# Maximum of samples per partition. Beyond that every second sample of the older half is dropped:
# a lag of a day need not be exact to the second.
SAMPLES = 512


@dataclass
class History:
    """Samples of a partition's end offset, oldest first; only those at which it changed."""

    times: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, time: float, end: int) -> None:
        """Add a sample. A lower end offset means a recreated topic: older samples are dropped."""
        if self.ends and end < self.ends[-1]:
            self.times, self.ends = [], []
        if len(self.ends) > 1 and end == self.ends[-1] == self.ends[-2]:
            self.times[-1] = time
            return
        self.times.append(time)
        self.ends.append(end)
        if len(self.times) > SAMPLES:
            half = SAMPLES // 2
            self.times[:half] = self.times[:half:2]
            self.ends[:half] = self.ends[:half:2]

    def passed(self, offset: int) -> float:
        """Return when the end offset passed ``offset``; not before the first sample."""
        later = bisect_right(self.ends, offset)
        if later == 0:
            return self.times[0]
        if later == len(self.ends):
            return self.times[-1]
        before, after = self.ends[later - 1], self.ends[later]
        share = (offset - before) / (after - before)
        return self.times[later - 1] + share * (self.times[later] - self.times[later - 1])


@dataclass(frozen=True)
class Lag:
    """The lag of a group on a partition."""

    group: str
    topic: str
    partition: int
    offset: int
    records: int
    seconds: float


def lags(
    group: str,
    committed: Mapping[Partition, int],
    ends: Mapping[Partition, int],
    histories: Mapping[Partition, History],
    now: float,
) -> list[Lag]:
    """Return the lag of a group by partition, without partitions whose end offset is unknown."""
    found = []
    for (topic, partition), offset in sorted(committed.items()):
        end = ends.get((topic, partition))
        if end is None or offset < 0:
            continue
        records = max(0, end - offset)
        waited = now - histories[topic, partition].passed(offset) if records else 0.0
        found.append(Lag(group, topic, partition, offset, records, max(0.0, waited)))
    return found


def members_by_topic(assignments: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return the number of members by topic, from the assigned topics of each member."""
    counted: dict[str, int] = {}
    for topics in assignments:
        for topic in set(topics):
            counted[topic] = counted.get(topic, 0) + 1
    return counted
