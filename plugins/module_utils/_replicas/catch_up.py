# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How far a broker has caught up, and whether it then holds what the others hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.health import count
from .._kafka.snapshot import Cluster, Partition
from .broker_replicas import Key, ReplicaConnection, by_key
from .equality import batches, compare

# Partitions compared by one pair of requests.
AT_ONCE = 12


def hosted(cluster: Cluster, broker: int) -> list[Partition]:
    """Partitions that have a replica on a broker."""
    return [part for part in cluster.partitions if broker in part.replicas]


def missing_bytes(
    behind: Sequence[Partition], sizes: Mapping[int, Mapping[Key, int]], broker: int
) -> int:
    """Bytes that the replicas of ``broker`` lack against the largest other one."""
    own = sizes.get(broker, {})
    left = 0
    for part in behind:
        key = (part.topic, part.id)
        whole = max((held.get(key, 0) for b, held in sizes.items() if b != broker), default=0)
        # One that is behind has at least something to do.
        left += max(1, whole - own.get(key, 0))
    return left


def look(connection: ReplicaConnection, broker: int) -> dict[str, Any]:
    """Whether every replica of a broker is in sync, and how much is missing."""
    cluster = connection.read_cluster()
    waits_for = []
    if broker not in cluster.broker_ids():
        waits_for.append(f"broker {broker} is not registered")
    if broker in cluster.silent:
        waits_for.append(f"broker {broker} does not answer: {cluster.silent[broker]}")
    waits_for += [
        f"broker {broker}: log dir {failed.path}: {failed.error}"
        for failed in cluster.failed_log_dirs
        if failed.broker == broker
    ]
    behind = [part for part in hosted(cluster, broker) if broker not in part.isr]
    if behind:
        waits_for.append(count([part.name for part in behind], f"not in sync on broker {broker}"))
    answering = sorted(cluster.broker_ids() - set(cluster.silent))
    sizes = {each: by_key(connection.dirs(each)) for each in answering} if behind else {}
    return {
        "done": not waits_for,
        "left": missing_bytes(behind, sizes, broker) if behind else len(waits_for),
        # Before it is registered nobody knows its sizes.
        "phase": "filling" if broker in sizes else "starting",
        "waits_for": waits_for,
    }


@dataclass
class Pair:
    """A replica of a broker, another one in sync, and how far both were compared."""

    key: Key
    peer: int
    offset: int
    end: int
    differs: int | None = None
    trouble: str = ""

    @property
    def name(self) -> str:
        """The usual short name, ``topic-partition``."""
        return f"{self.key[0]}-{self.key[1]}"

    @property
    def open(self) -> bool:
        """Whether there is something left to compare."""
        return self.offset < self.end and self.differs is None and not self.trouble


@dataclass
class Equality:
    """The result of a comparison."""

    pairs: list[Pair] = field(default_factory=list)
    compacted: list[str] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """In plain types."""
        return {
            "compared": [p.name for p in self.pairs if not p.open and not p.trouble],
            "unfinished": [p.name for p in self.pairs if p.open]
            + [f"{p.name} ({p.trouble})" for p in self.pairs if p.trouble],
            "compacted": self.compacted,
            "different": [
                f"{p.name} differs from broker {p.peer} at offset {p.differs}"
                for p in self.pairs
                if p.differs is not None
            ],
        }


def pairs_of(
    parts: Sequence[Partition], broker: int, starts: Mapping[Key, int], ends: Mapping[Key, int]
) -> list[Pair]:
    """Each replica of a broker with another one that is in sync, where there is one."""
    found = []
    for part in parts:
        peers = [each for each in part.isr if each != broker]
        if broker in part.isr and peers:
            key = (part.topic, part.id)
            peer = part.leader if part.leader in peers else peers[0]
            found.append(Pair(key, peer, starts.get(key, 0), ends.get(key, 0)))
    return found


def step(pair: Pair, own: tuple[int, bytes], other: tuple[int, bytes]) -> None:
    """Compare one answer of both brokers, error code and records, and note how far it went."""
    code = own[0] or other[0]
    if code:
        pair.trouble = f"error {code} of a broker"
        return
    result = compare(pair.offset, batches(own[1]), batches(other[1]))
    pair.differs = result.differs
    if result.next == pair.offset and result.differs is None:
        # The replica in question ends here, or a batch is larger than one answer.
        pair.trouble = f"no common records at offset {pair.offset}"
    pair.offset = result.next


def verify(
    connection: ReplicaConnection, broker: int, wanted: Sequence[Key], seconds: float
) -> dict[str, Any]:
    """Compare these replicas of a broker with others, batch by batch, until time is up.

    Topics that are compacted are skipped: each replica compacts at its own time.
    """
    deadline = Deadline(seconds)
    connection.deadline = Deadline(seconds + connection.request_timeout)
    cluster = connection.read_cluster()
    chosen = set(wanted)
    parts = [part for part in hosted(cluster, broker) if (part.topic, part.id) in chosen]
    compacted = connection.compacted({part.topic for part in parts})
    plain = [part for part in parts if part.topic not in compacted]
    starts, ends = connection.offsets([(part.topic, part.id) for part in plain])
    result = Equality(
        pairs_of(plain, broker, starts, ends),
        sorted(part.name for part in parts if part.topic in compacted),
    )
    while not deadline.passed():
        waiting = [pair for pair in result.pairs if pair.open]
        if not waiting:
            break
        # Those that were compared least come first, so that each gets its turn.
        waiting.sort(key=lambda pair: pair.offset)
        group = [pair for pair in waiting if pair.peer == waiting[0].peer][:AT_ONCE]
        asked = {pair.key: pair.offset for pair in group}
        own, other = connection.fetch(broker, asked), connection.fetch(group[0].peer, asked)
        for pair in group:
            step(pair, own[pair.key], other[pair.key])
    return result.report()
