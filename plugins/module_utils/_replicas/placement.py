# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""On which brokers the replicas of topics are to lie; no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._content.topics import KAFKAS_OWN
from .._kafka.snapshot import Cluster, Partition

# Topic and number of a partition.
Key = tuple[str, int]
Replicas = tuple[int, ...]


class PlacementError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Keep the messages apart, for a list of them."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Spec:
    """How many replicas the partitions of a topic shall have, or where they shall lie.

    A ``factor`` of 0 leaves them where they are.
    """

    topic: str
    factor: int
    placement: tuple[Replicas, ...] = ()


@dataclass(frozen=True)
class Move:
    """The replicas of a partition are to lie elsewhere; the first of them leads if it can."""

    partition: Partition
    target: Replicas

    @property
    def key(self) -> Key:
        """Topic and number."""
        return self.partition.topic, self.partition.id

    @property
    def new(self) -> Replicas:
        """Brokers that have to copy it."""
        return tuple(broker for broker in self.target if broker not in self.partition.replicas)

    def __str__(self) -> str:
        """One message."""
        before, after = (
            ", ".join(str(broker) for broker in brokers)
            for brokers in (settled(self.partition), self.target)
        )
        return f"{self.partition.name}: brokers {before} -> {after}"


def specs_of(topics: Mapping[str, Mapping[str, Any]]) -> list[Spec]:
    """Specs from the parameters of the module; raises PlacementError with everything wrong."""
    specs, wrong = [], []
    for name in sorted(topics):
        given = topics[name] or {}
        placement = tuple(tuple(int(b) for b in each) for each in given.get("placement") or ())
        factor = len(placement[0]) if placement else int(given.get("replication_factor") or 0)
        if name.startswith(KAFKAS_OWN) and not given.get("internal"):
            wrong.append(f"topic {name}: is one of Kafka's own; set internal to move it")
        if any(len(set(each)) != factor for each in placement):
            wrong.append(f"topic {name}: placement needs {factor} different brokers everywhere")
        specs.append(Spec(name, factor, placement))
    if wrong:
        raise PlacementError(wrong)
    return specs


def settled(part: Partition) -> Replicas:
    """Where a partition lies once the reassignment in flight has ended."""
    return tuple(broker for broker in part.replicas if broker not in part.removing)


def in_flight(part: Partition) -> bool:
    """Whether it is being reassigned."""
    return bool(part.adding or part.removing)


def grown(part: Partition, factor: int, racks: Mapping[int, str], load: Counter[int]) -> Replicas:
    """Its replicas and new ones behind them: in racks that have none yet, on idle brokers."""
    chosen = list(settled(part))
    while len(chosen) < factor:
        used = Counter(racks.get(broker, "") for broker in chosen)
        free = [broker for broker in racks if broker not in chosen]
        chosen.append(min(free, key=lambda broker: (used[racks[broker]], load[broker], broker)))
        load[chosen[-1]] += 1
    return tuple(chosen)


def shrunk(part: Partition, factor: int, racks: Mapping[int, str], load: Counter[int]) -> Replicas:
    """Fewer of its replicas, in their order; those go that are worth least.

    First the ones whose broker is gone, then those out of sync, then those that share a rack with
    another, then those on the busiest brokers. The leader and the first replica stay.
    """
    chosen = list(settled(part))
    while len(chosen) > factor:
        used = Counter(racks.get(broker, "") for broker in chosen)

        def worth(broker: int, used: Counter[str] = used, first: int = chosen[0]) -> Any:
            alive, synced = broker in racks, broker in part.isr
            alone = used[racks.get(broker, "")] == 1
            # A first replica that nobody can read is no reason to keep it.
            kept = (broker in (part.leader, first)) and alive and synced
            return (kept, alive, synced, alone, -load[broker], -broker)

        gone = min(chosen, key=worth)
        chosen.remove(gone)
        load[gone] -= 1
    return tuple(chosen)


def plan(cluster: Cluster, specs: Iterable[Spec]) -> list[Move]:
    """Moves to the specs, of partitions that are not being moved; raises PlacementError."""
    racks = {broker.id: broker.rack or f"broker {broker.id}" for broker in cluster.brokers}
    if all(broker.rack is None for broker in cluster.brokers):
        racks = dict.fromkeys(racks, "")
    load: Counter[int] = Counter(broker for part in cluster.partitions for broker in settled(part))
    parts: dict[str, list[Partition]] = {}
    for part in cluster.partitions:
        parts.setdefault(part.topic, []).append(part)
    moves, wrong = [], []
    for spec in specs:
        found = sorted(parts.get(spec.topic, []), key=lambda part: part.id)
        wrong += _obstacles(spec, found, racks, cluster.min_isr.get(spec.topic, 0))
        if wrong:
            continue
        for part in found:
            target = _target(part, spec, racks, load)
            if not in_flight(part) and target != part.replicas:
                moves.append(Move(part, target))
    if wrong:
        raise PlacementError(wrong)
    return moves


def _target(part: Partition, spec: Spec, racks: Mapping[int, str], load: Counter[int]) -> Replicas:
    """Where a partition is to lie."""
    if spec.placement:
        return spec.placement[part.id]
    if not spec.factor:
        return part.replicas
    if len(settled(part)) < spec.factor:
        return grown(part, spec.factor, racks, load)
    return shrunk(part, spec.factor, racks, load)


def _obstacles(
    spec: Spec, found: Sequence[Partition], racks: Mapping[int, str], min_isr: int
) -> list[str]:
    """Why a spec cannot be met."""
    if not found:
        return [f"topic {spec.topic}: there is no such topic"]
    if spec.placement:
        if len(spec.placement) < len(found):
            return [
                f"topic {spec.topic}: placement is for {len(spec.placement)} partitions, it has "
                f"{len(found)}"
            ]
        unknown = sorted({broker for each in spec.placement for broker in each} - racks.keys())
        if unknown:
            told = ", ".join(str(broker) for broker in unknown)
            known = ", ".join(str(broker) for broker in sorted(racks))
            return [f"topic {spec.topic}: no broker {told} is registered; there are {known}"]
    if 0 < spec.factor < min_isr:
        return [
            f"topic {spec.topic}: replication factor {spec.factor} is below its "
            f"min.insync.replicas {min_isr}: nobody could write with acks=all"
        ]
    if spec.factor > len(racks):
        return [
            f"topic {spec.topic}: replication factor {spec.factor} is declared, "
            f"{len(racks)} brokers are registered"
        ]
    return []


def moving(cluster: Cluster, specs: Iterable[Spec]) -> list[Partition]:
    """Partitions of the specs that are being moved."""
    topics = {spec.topic for spec in specs}
    return [part for part in cluster.partitions if part.topic in topics and in_flight(part)]


def portion(moves: Sequence[Move], under_way: int, most: int) -> list[Move]:
    """Moves to start now, so that no more than so many are under way."""
    return list(moves[: max(0, most - under_way)])


def bytes_left(
    moves: Iterable[Move],
    under_way: Iterable[Partition],
    sizes: Mapping[int, Mapping[str, int]],
) -> int:
    """Bytes that are still to be copied; each replica under way counts for one at least."""
    left = 0
    pairs = [(move.partition, move.new) for move in moves]
    pairs += [(part, tuple(b for b in part.adding if b not in part.isr)) for part in under_way]
    for part, new in pairs:
        whole = max((held.get(part.name, 0) for held in sizes.values()), default=0)
        left += sum(max(1, whole - sizes.get(broker, {}).get(part.name, 0)) for broker in new)
    return left
