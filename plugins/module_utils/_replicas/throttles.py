# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Replication throttles of moves: lists of replicas, rates of brokers, and their ownership.

Kafka stores no owner of a throttle. So a run first writes its throttles to a file on the host. A
throttle in the cluster is our own if it has the value in that file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from .._kafka.snapshot import Partition
from .placement import Move

LEADERS, FOLLOWERS = (
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
KEYS = {"topic": (LEADERS, FOLLOWERS), "broker": RATES}

# Values by kind of resource ("topic" or "broker"), its name, and the key.
Throttles = Mapping[tuple[str, str, str], str]


def desired_throttles(
    moves: Iterable[Move], under_way: Iterable[Partition], brokers: Iterable[int], rate: int
) -> dict[tuple[str, str, str], str]:
    """Return throttles for new moves and those under way; ``rate`` is in bytes/s per broker.

    Existing replicas are throttled as leaders, added replicas as followers. Other replicas of the
    topic are not throttled, so a broker that was down catches up at full speed.
    """
    replicas: dict[tuple[str, str], set[tuple[int, int]]] = {}
    pairs = [
        *((move.partition, move.partition.replicas, move.adding_replicas) for move in moves),
        *((part, part.established, part.adding) for part in under_way),
    ]
    for part, present, added in pairs:
        if added:
            for key, ids in ((LEADERS, present), (FOLLOWERS, added)):
                replicas.setdefault((part.topic, key), set()).update((part.id, b) for b in ids)
    if not replicas:
        return {}
    return {
        **{
            ("topic", topic, key): ",".join(f"{part}:{broker}" for part, broker in sorted(chosen))
            for (topic, key), chosen in sorted(replicas.items())
        },
        **{("broker", str(broker), key): str(rate) for broker in sorted(brokers) for key in RATES},
    }


def reachable_throttles(own: Throttles, brokers: Iterable[int]) -> dict[tuple[str, str, str], str]:
    """Return the throttles in ``own`` on topics and responding ``brokers``.

    Kafka reads and changes the settings of a broker only through that broker.
    """
    names = {str(broker) for broker in brokers}
    return {
        where: value for where, value in own.items() if where[0] != "broker" or where[1] in names
    }


def foreign_throttles(current: Throttles, own: Throttles) -> dict[tuple[str, str, str], str]:
    """Return the throttles of the cluster that are not our own."""
    return {where: value for where, value in current.items() if own.get(where) != value}


def throttles_to_set(
    desired: Throttles, current: Throttles, own: Throttles
) -> dict[tuple[str, str, str], str]:
    """Return the throttles to set, without those that would replace foreign ones."""
    kept = foreign_throttles(current, own)
    return {
        where: value
        for where, value in desired.items()
        if where not in kept and current.get(where) != value
    }


def foreign_messages(throttles: Throttles) -> list[str]:
    """Return one message for each foreign throttle."""
    return [
        f"{kind} {name}: {key}={value} was not set by this collection and is kept"
        for (kind, name, key), value in sorted(throttles.items())
    ]


def to_rows(throttles: Throttles) -> list[list[str]]:
    """Return throttles in plain types: kind, name, key and value."""
    return [[*where, value] for where, value in sorted(throttles.items())]


def from_rows(rows: Iterable[Sequence[str]] | None) -> dict[tuple[str, str, str], str]:
    """Return throttles from plain types; invalid rows are ignored."""
    return {
        (str(row[0]), str(row[1]), str(row[2])): str(row[3])
        for row in rows or ()
        if isinstance(row, Sequence) and len(row) == 4 and row[2] in KEYS.get(str(row[0]), ())
    }


class ThrottleFile:
    """The file on a host with the throttles that runs have set; no file without a path."""

    def __init__(self, path: str, others: Iterable[Sequence[str]] = ()) -> None:
        """Read the file; ``others`` are rows of other hosts' files."""
        self.path = path
        self.own = from_rows(others)
        if path:
            with suppress(FileNotFoundError, ValueError), open(path, encoding="utf-8") as stream:
                self.own |= from_rows(json.load(stream).get("throttles"))

    def add(self, throttles: Throttles) -> None:
        """Add throttles to the file, before they are set."""
        self.keep({**self.own, **throttles})

    def keep(self, throttles: Throttles) -> None:
        """Replace the content of the file; without throttles remove the file."""
        self.own = dict(throttles)
        if self.path and not self.own:
            with suppress(FileNotFoundError):
                os.unlink(self.path)
        elif self.path:
            os.makedirs(os.path.dirname(self.path), mode=0o755, exist_ok=True)
            temporary = f"{self.path}.new"
            with open(temporary, "w", encoding="utf-8") as stream:
                json.dump({"throttles": to_rows(self.own)}, stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, self.path)
