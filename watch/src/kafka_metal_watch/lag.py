"""How far a group is behind: in records, and in time without reading a record.

The end of a partition is noted each time it is looked at. A group that committed offset 700 has
waited since the end passed 700: that moment lies between two notes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Partition = tuple[str, int]
# Notes of one partition. Beyond that the older half is thinned out: a group that is a day behind
# need not be known to the second.
NOTES = 512


@dataclass
class History:
    """Ends of a partition, oldest first; only those at which the end had moved."""

    times: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def note(self, time: float, end: int) -> None:
        """The end at a moment. One that went back is another log: what was noted is forgotten."""
        if self.ends and end < self.ends[-1]:
            self.times, self.ends = [], []
        if len(self.ends) > 1 and end == self.ends[-1] == self.ends[-2]:
            self.times[-1] = time
            return
        self.times.append(time)
        self.ends.append(end)
        if len(self.times) > NOTES:
            half = NOTES // 2
            self.times[:half] = self.times[:half:2]
            self.ends[:half] = self.ends[:half:2]

    def passed(self, offset: int) -> float:
        """When the end passed ``offset``; the oldest note when it was before that."""
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
    """What a group has not committed of a partition."""

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
    """Lag of a group by partition; a partition whose end is not known is left out."""
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
    """Members that read each topic, from the topics each member was given."""
    counted: dict[str, int] = {}
    for topics in assignments:
        for topic in set(topics):
            counted[topic] = counted.get(topic, 0) + 1
    return counted
