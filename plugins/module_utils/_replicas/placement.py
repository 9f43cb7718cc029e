# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan on which brokers the replicas of topics are placed; no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._content.topics import INTERNAL_PREFIX
from .._kafka.snapshot import Cluster, Partition

# Topic and partition number.
Key = tuple[str, int]
Replicas = tuple[int, ...]


class PlacementError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Store the messages as a list."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Spec:
    """Desired replication factor or placement of a topic; a ``factor`` of 0 changes nothing."""

    topic: str
    factor: int
    placement: tuple[Replicas, ...] = ()


@dataclass(frozen=True)
class Move:
    """Move a partition to the brokers in ``target``; the first is the preferred replica."""

    partition: Partition
    target: Replicas

    @property
    def key(self) -> Key:
        """Return topic and partition number."""
        return self.partition.topic, self.partition.id

    @property
    def adding_replicas(self) -> Replicas:
        """Return the brokers that have to copy the partition."""
        return tuple(broker for broker in self.target if broker not in self.partition.replicas)

    def __str__(self) -> str:
        """Return the message for this step."""
        before, after = (
            ", ".join(str(broker) for broker in brokers)
            for brokers in (final_replicas(self.partition), self.target)
        )
        return f"{self.partition.name}: brokers {before} -> {after}"


def parse_specs(topics: Mapping[str, Mapping[str, Any]]) -> list[Spec]:
    """Return the specs of the module's parameters; raises PlacementError with all errors."""
    specs, errors = [], []
    for name in sorted(topics):
        declared = topics[name] or {}
        placement = tuple(tuple(int(b) for b in each) for each in declared.get("placement") or ())
        factor = len(placement[0]) if placement else int(declared.get("replication_factor") or 0)
        if name.startswith(INTERNAL_PREFIX) and not declared.get("internal"):
            errors.append(f"topic {name}: is internal to Kafka; set internal to move it")
        if any(len(set(each)) != factor for each in placement):
            errors.append(
                f"topic {name}: placement needs {factor} different brokers for each partition"
            )
        specs.append(Spec(name, factor, placement))
    if errors:
        raise PlacementError(errors)
    return specs


def final_replicas(part: Partition) -> Replicas:
    """Return the replicas of a partition after its ongoing reassignment."""
    return tuple(broker for broker in part.replicas if broker not in part.removing)


def is_in_flight(part: Partition) -> bool:
    """Whether a partition is being reassigned."""
    return bool(part.adding or part.removing)


def with_more_replicas(
    part: Partition, factor: int, racks: Mapping[int, str], load: Counter[int]
) -> Replicas:
    """Return the replicas and new ones after them, in unused racks, on brokers with the fewest.

    ``load`` counts replicas by broker and is updated.
    """
    chosen = list(final_replicas(part))
    while len(chosen) < factor:
        used = Counter(racks.get(broker, "") for broker in chosen)
        free = [broker for broker in racks if broker not in chosen]
        chosen.append(min(free, key=lambda broker: (used[racks[broker]], load[broker], broker)))
        load[chosen[-1]] += 1
    return tuple(chosen)


def with_fewer_replicas(
    part: Partition, factor: int, racks: Mapping[int, str], load: Counter[int]
) -> Replicas:
    """Return ``factor`` of the replicas, in their order.

    Removed first: replicas on unregistered brokers, then those out of sync, then those that share
    a rack, then those on brokers with the most replicas. The leader and the first replica are
    kept. ``load`` counts replicas by broker and is updated.
    """
    chosen = list(final_replicas(part))
    while len(chosen) > factor:
        used = Counter(racks.get(broker, "") for broker in chosen)

        def worth(broker: int, used: Counter[str] = used, first: int = chosen[0]) -> Any:
            alive, synced = broker in racks, broker in part.isr
            alone = used[racks.get(broker, "")] == 1
            # A dead or lagging first replica is not worth keeping.
            kept = (broker in (part.leader, first)) and alive and synced
            return (kept, alive, synced, alone, -load[broker], -broker)

        removed = min(chosen, key=worth)
        chosen.remove(removed)
        load[removed] -= 1
    return tuple(chosen)


def plan(cluster: Cluster, specs: Iterable[Spec]) -> list[Move]:
    """Return the moves to the specs, without partitions under way; raises PlacementError."""
    racks = {broker.id: broker.rack or f"broker {broker.id}" for broker in cluster.brokers}
    if all(broker.rack is None for broker in cluster.brokers):
        racks = dict.fromkeys(racks, "")
    load: Counter[int] = Counter(
        broker for part in cluster.partitions for broker in final_replicas(part)
    )
    parts: dict[str, list[Partition]] = {}
    for part in cluster.partitions:
        parts.setdefault(part.topic, []).append(part)
    moves, errors = [], []
    for spec in specs:
        found = sorted(parts.get(spec.topic, []), key=lambda part: part.id)
        errors += _blockers(spec, found, racks, cluster.min_isr.get(spec.topic, 0))
        if errors:
            continue
        for part in found:
            target = _target(part, spec, racks, load)
            if not is_in_flight(part) and target != part.replicas:
                moves.append(Move(part, target))
    if errors:
        raise PlacementError(errors)
    return moves


def _target(part: Partition, spec: Spec, racks: Mapping[int, str], load: Counter[int]) -> Replicas:
    """Return the desired replicas of a partition."""
    if spec.placement:
        return spec.placement[part.id]
    if not spec.factor:
        return part.replicas
    if len(final_replicas(part)) < spec.factor:
        return with_more_replicas(part, spec.factor, racks, load)
    return with_fewer_replicas(part, spec.factor, racks, load)


def _blockers(
    spec: Spec, found: Sequence[Partition], racks: Mapping[int, str], min_isr: int
) -> list[str]:
    """Return the blockers of a spec as messages."""
    if not found:
        return [f"topic {spec.topic}: does not exist"]
    if spec.placement:
        if len(spec.placement) < len(found):
            return [
                f"topic {spec.topic}: placement is for {len(spec.placement)} partitions, it has "
                f"{len(found)}"
            ]
        unknown = sorted({broker for each in spec.placement for broker in each} - racks.keys())
        if unknown:
            missing = ", ".join(str(broker) for broker in unknown)
            known = ", ".join(str(broker) for broker in sorted(racks))
            return [
                f"topic {spec.topic}: placement: found unregistered broker {missing}; "
                f"allowed: {known}"
            ]
    if 0 < spec.factor < min_isr:
        return [
            f"topic {spec.topic}: replication factor {spec.factor} is below its "
            f"min.insync.replicas {min_isr}: every write with acks=all would fail"
        ]
    if spec.factor > len(racks):
        return [
            f"topic {spec.topic}: replication factor {spec.factor} is declared, "
            f"{len(racks)} brokers are registered"
        ]
    return []


def moving_partitions(cluster: Cluster, specs: Iterable[Spec]) -> list[Partition]:
    """Return the partitions of the specs that are being moved."""
    topics = {spec.topic for spec in specs}
    return [part for part in cluster.partitions if part.topic in topics and is_in_flight(part)]


def next_moves(moves: Sequence[Move], under_way: int, most: int) -> list[Move]:
    """Return the moves to start now, so that at most ``most`` are under way."""
    return list(moves[: max(0, most - under_way)])


def bytes_left(
    moves: Iterable[Move],
    under_way: Iterable[Partition],
    sizes: Mapping[int, Mapping[str, int]],
) -> int:
    """Return the bytes still to be copied; each replica under way counts at least one byte."""
    left = 0
    pairs = [(move.partition, move.adding_replicas) for move in moves]
    pairs += [(part, tuple(b for b in part.adding if b not in part.isr)) for part in under_way]
    for part, new in pairs:
        whole = max((held.get(part.name, 0) for held in sizes.values()), default=0)
        left += sum(max(1, whole - sizes.get(broker, {}).get(part.name, 0)) for broker in new)
    return left
