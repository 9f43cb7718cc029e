# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of a broker's replicas, and their comparison with other replicas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.snapshot import Cluster, Partition
from .._problems.kafka_problems import count_message
from .broker_replicas import Key, ReplicaConnection, error_name, sizes_by_partition
from .equality import compare, parse_batches

# Partitions compared by one pair of requests.
PER_REQUEST = 12


def hosted_partitions(cluster: Cluster, broker: int) -> list[Partition]:
    """Return the partitions with a replica on a broker."""
    return [part for part in cluster.partitions if broker in part.replicas]


def missing_bytes(
    lagging: Sequence[Partition], sizes: Mapping[int, Mapping[Key, int]], broker: int
) -> int:
    """Return the bytes that replicas of ``broker`` lack, compared with the largest replica."""
    own = sizes.get(broker, {})
    left = 0
    for part in lagging:
        key = (part.topic, part.id)
        whole = max((held.get(key, 0) for b, held in sizes.items() if b != broker), default=0)
        # A lagging replica counts at least one byte.
        left += max(1, whole - own.get(key, 0))
    return left


def progress(connection: ReplicaConnection, broker: int) -> dict[str, Any]:
    """Return whether every replica of a broker is in sync, the blockers and missing bytes."""
    cluster = connection.read_cluster()
    waits_for = []
    if broker not in cluster.broker_ids():
        waits_for.append(f"broker {broker} is not registered")
    if broker in cluster.unresponsive:
        waits_for.append(f"broker {broker} does not respond: {cluster.unresponsive[broker]}")
    waits_for += [
        f"broker {broker}: log dir {failed.path}: {failed.error}"
        for failed in cluster.failed_log_dirs
        if failed.broker == broker
    ]
    lagging = [part for part in hosted_partitions(cluster, broker) if broker not in part.isr]
    if lagging:
        waits_for.append(
            count_message([part.name for part in lagging], f"not in sync on broker {broker}")
        )
    responding = sorted(cluster.broker_ids() - set(cluster.unresponsive))
    sizes = (
        {each: sizes_by_partition(connection.dirs(each)) for each in responding} if lagging else {}
    )
    return {
        "done": not waits_for,
        "remaining": missing_bytes(lagging, sizes, broker) if lagging else len(waits_for),
        # Sizes are unknown until the broker is registered.
        "phase": "filling" if broker in sizes else "starting",
        "waits_for": waits_for,
    }


@dataclass
class Pair:
    """A replica of the broker, an in-sync replica on ``peer``, and the progress of comparison.

    ``offset`` is the next offset to compare, ``differs`` that of the first difference.
    """

    key: Key
    peer: int
    offset: int
    end: int
    differs: int | None = None
    error: str = ""

    @property
    def name(self) -> str:
        """Return ``topic-partition``."""
        return f"{self.key[0]}-{self.key[1]}"

    @property
    def open(self) -> bool:
        """Whether the comparison is unfinished and can go on."""
        return self.offset < self.end and self.differs is None and not self.error


@dataclass
class Equality:
    """Result of the comparison of all replicas."""

    pairs: list[Pair] = field(default_factory=list)
    compacted: list[str] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """Return the result in plain types."""
        return {
            "compared": [p.name for p in self.pairs if not p.open and not p.error],
            "unfinished": [p.name for p in self.pairs if p.open]
            + [f"{p.name} ({p.error})" for p in self.pairs if p.error],
            "compacted": self.compacted,
            "different": [
                f"{p.name} differs from broker {p.peer} at offset {p.differs}"
                for p in self.pairs
                if p.differs is not None
            ],
        }


def replica_pairs(
    parts: Sequence[Partition], broker: int, starts: Mapping[Key, int], ends: Mapping[Key, int]
) -> list[Pair]:
    """Return each replica of a broker with another in-sync replica, if there is one."""
    found = []
    for part in parts:
        peers = [each for each in part.isr if each != broker]
        if broker in part.isr and peers:
            key = (part.topic, part.id)
            peer = part.leader if part.leader in peers else peers[0]
            found.append(Pair(key, peer, starts.get(key, 0), ends.get(key, 0)))
    return found


def compare_responses(pair: Pair, own: tuple[int, bytes], other: tuple[int, bytes]) -> None:
    """Compare one response (error code, records) of both brokers, and update the pair."""
    code = own[0] or other[0]
    if code:
        place = "this broker" if own[0] else f"broker {pair.peer}"
        pair.error = f"{place} returned {error_name(code)}"
        return
    result = compare(pair.offset, parse_batches(own[1]), parse_batches(other[1]))
    pair.differs = result.differs
    if result.next == pair.offset and result.differs is None:
        # The broker's replica ends here, or a batch is larger than one response.
        pair.error = f"no common records at offset {pair.offset}"
    pair.offset = result.next


def verify(
    connection: ReplicaConnection, broker: int, wanted: Sequence[Key], seconds: float
) -> dict[str, Any]:
    """Compare replicas of a broker with others for at most ``seconds``; return the report.

    Compacted topics are skipped, because each replica compacts at its own time.
    """
    deadline = Deadline(seconds)
    connection.deadline = Deadline(seconds + connection.request_timeout)
    cluster = connection.read_cluster()
    chosen = set(wanted)
    parts = [part for part in hosted_partitions(cluster, broker) if (part.topic, part.id) in chosen]
    compacted = connection.compacted({part.topic for part in parts})
    plain = [part for part in parts if part.topic not in compacted]
    starts, ends = connection.offsets([(part.topic, part.id) for part in plain])
    result = Equality(
        replica_pairs(plain, broker, starts, ends),
        sorted(part.name for part in parts if part.topic in compacted),
    )
    while not deadline.passed():
        waiting = [pair for pair in result.pairs if pair.open]
        if not waiting:
            break
        # Pairs with the least progress come first, so that all partitions are compared.
        waiting.sort(key=lambda pair: pair.offset)
        group = [pair for pair in waiting if pair.peer == waiting[0].peer][:PER_REQUEST]
        offsets = {pair.key: pair.offset for pair in group}
        own, other = connection.fetch(broker, offsets), connection.fetch(group[0].peer, offsets)
        for pair in group:
            compare_responses(pair, own[pair.key], other[pair.key])
    return result.report()
