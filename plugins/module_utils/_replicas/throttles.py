# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Throttles of replicas that move: exact lists, rates of brokers, and whose they are.

Kafka keeps no owner of a throttle. What a run is about to set is written to a file of the host
first; a value of the cluster counts as ours while it is the one in that file.
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

# Kind of the resource, topic or broker, its name, and the key; with the value that is set.
Throttles = Mapping[tuple[str, str, str], str]


def wanted(
    moves: Iterable[Move], under_way: Iterable[Partition], brokers: Iterable[int], rate: int
) -> dict[tuple[str, str, str], str]:
    """Throttles for moves that start and those under way; ``rate`` in bytes per second and broker.

    Replicas that are there are throttled as leaders, those that are added as followers. Others of
    the topic keep their full speed, so a broker that was down catches up unhindered.
    """
    replicas: dict[tuple[str, str], set[tuple[int, int]]] = {}
    pairs = [
        *((move.partition, move.partition.replicas, move.new) for move in moves),
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


def reachable(own: Throttles, brokers: Iterable[int]) -> dict[tuple[str, str, str], str]:
    """Those of ``own`` that can be read and removed now: a broker answers for itself alone."""
    known = {str(broker) for broker in brokers}
    return {
        where: value for where, value in own.items() if where[0] != "broker" or where[1] in known
    }


def foreign(current: Throttles, own: Throttles) -> dict[tuple[str, str, str], str]:
    """Throttles of the cluster that somebody else has set."""
    return {where: value for where, value in current.items() if own.get(where) != value}


def to_set(
    desired: Throttles, current: Throttles, own: Throttles
) -> dict[tuple[str, str, str], str]:
    """What has to be set: what somebody else has set is kept."""
    kept = foreign(current, own)
    return {
        where: value
        for where, value in desired.items()
        if where not in kept and current.get(where) != value
    }


def messages_of(throttles: Throttles) -> list[str]:
    """One message for each throttle of somebody else."""
    return [
        f"{kind} {name}: {key}={value} was set by somebody else and is kept"
        for (kind, name, key), value in sorted(throttles.items())
    ]


def rows_of(throttles: Throttles) -> list[list[str]]:
    """Throttles in plain types: kind, name, key and value."""
    return [[*where, value] for where, value in sorted(throttles.items())]


def of_rows(rows: Iterable[Sequence[str]] | None) -> dict[tuple[str, str, str], str]:
    """Throttles from plain types; rows of another shape are left out."""
    return {
        (str(row[0]), str(row[1]), str(row[2])): str(row[3])
        for row in rows or ()
        if isinstance(row, Sequence) and len(row) == 4 and row[2] in KEYS.get(str(row[0]), ())
    }


class Record:
    """The file of a host with the throttles that runs on it have set; none without a path."""

    def __init__(self, path: str, others: Iterable[Sequence[str]] = ()) -> None:
        """Read the file; ``others`` are rows of other hosts' files."""
        self.path = path
        self.own = of_rows(others)
        if path:
            with suppress(FileNotFoundError, ValueError), open(path, encoding="utf-8") as stream:
                self.own |= of_rows(json.load(stream).get("throttles"))

    def add(self, throttles: Throttles) -> None:
        """Write down what is set next."""
        self.keep({**self.own, **throttles})

    def keep(self, throttles: Throttles) -> None:
        """Only these of ours are left; without any the file goes."""
        self.own = dict(throttles)
        if self.path and not self.own:
            with suppress(FileNotFoundError):
                os.unlink(self.path)
        elif self.path:
            os.makedirs(os.path.dirname(self.path), mode=0o755, exist_ok=True)
            temporary = f"{self.path}.new"
            with open(temporary, "w", encoding="utf-8") as stream:
                json.dump({"throttles": rows_of(self.own)}, stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, self.path)
