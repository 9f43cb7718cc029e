"""Read brokers, and the lag of consumer groups, as parts of the state; name what was not read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .cluster import Cluster
from .lag import History, Lag, Partition, lags, members_by_topic

# The name of a failed read of all groups, or of the whole cluster.
EVERY = "all"


@dataclass(frozen=True)
class Part:
    """A part of the state: ``values`` by field of ClusterState.

    ``unread``: reasons of what could not be read, by kind and name.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read_brokers(cluster: Cluster, now: float) -> Part:
    """Return brokers, topics and connection limits; KafkaException if no broker responds."""
    seen = cluster.overview()
    configured = cluster.limits(each.id for each in seen.brokers if each.registered)
    limits = {
        (broker, listener): limit
        for broker, own in configured.found.items()
        for listener, limit in own.items()
    }
    return Part(
        {"read": now, "overview": seen, "limits": limits},
        {("connection limits", str(name)): why for name, why in configured.unread.items()},
    )


class GroupReader:
    """Compute the lag of groups from the history of end offsets."""

    def __init__(self, cluster: Cluster, exclude: str = "") -> None:
        """``exclude``: regular expression of groups to skip."""
        self._cluster = cluster
        self._exclude = re.compile(exclude) if exclude else None
        self._histories: dict[Partition, History] = {}
        self._committed: dict[str, dict[Partition, int]] = {}

    def read(self, now: float) -> Part:
        """Return lag and members of each group that can be read; KafkaException if none can."""
        listed, errors = self._cluster.groups()
        groups = [name for name in listed if not (self._exclude and self._exclude.search(name))]
        committed = self._cluster.committed(groups)
        # The histories of a group stay while it cannot be read.
        kept = {name: self._committed[name] for name in committed.unread if name in self._committed}
        self._committed = {**kept, **committed.found}
        partitions = sorted({each for own in self._committed.values() for each in own})
        ends = self._cluster.ends(partitions)
        for where, end in ends.items():
            self._histories.setdefault(where, History()).add(now, end)
        for gone in self._histories.keys() - set(partitions):
            del self._histories[gone]
        members = self._cluster.assignments(groups)
        failed = {**members.unread, **committed.unread}
        counts = {
            (group, topic): count
            for group, assigned in members.found.items()
            if group in committed.found
            for topic, count in _members(committed.found[group], assigned).items()
        }
        return Part(
            {
                "lags_read": now,
                "lags": self._lags(committed.found, ends, now),
                "members": counts,
            },
            {
                **{("group", name): why for name, why in failed.items()},
                **({("groups", EVERY): "; ".join(sorted(set(errors)))} if errors else {}),
            },
        )

    def _lags(
        self,
        committed: Mapping[str, Mapping[Partition, int]],
        ends: Mapping[Partition, int],
        now: float,
    ) -> tuple[Lag, ...]:
        """Return the lag of each partition of each group."""
        return tuple(
            lag
            for group, own in sorted(committed.items())
            for lag in lags(group, own, ends, self._histories, now)
        )


def _members(committed: Mapping[Partition, int], assigned: list[list[str]]) -> dict[str, int]:
    """Return members by topic; 0 for a topic with committed offsets but without members."""
    return {**{topic: 0 for topic, _ in committed}, **members_by_topic(assigned)}
