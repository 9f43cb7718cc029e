# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan preferred and unclean leader elections; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .._common.suggestions import did_you_mean
from .._kafka.snapshot import Cluster, Partition

PREFERRED, UNCLEAN = "preferred", "unclean"


class ElectionError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Store the messages as a list."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Elect:
    """Elect a leader of a partition."""

    partition: Partition
    unclean: bool = False

    def __str__(self) -> str:
        """Return the message for this step."""
        part = self.partition
        if self.unclean:
            return f"{part.name}: unclean election of a replica that may lack records"
        return f"{part.name}: leader {part.leader} -> {part.replicas[0]}"


@dataclass(frozen=True)
class Plan:
    """Elections, and messages on partitions whose preferred replica cannot lead."""

    steps: tuple[Elect, ...] = ()
    impossible: tuple[str, ...] = ()


def select_partitions(
    cluster: Cluster, topics: Collection[str], partitions: Collection[str]
) -> list[Partition]:
    """Return the partitions of topics and those named; all if neither is provided.

    Raises ElectionError for unknown names.
    """
    names = {part.name for part in cluster.partitions}
    existing = {part.topic for part in cluster.partitions}
    errors = [_unknown("topic", name, existing) for name in topics if name not in existing]
    errors += [_unknown("partition", name, names) for name in partitions if name not in names]
    if errors:
        raise ElectionError(errors)
    if not topics and not partitions:
        return list(cluster.partitions)
    return [part for part in cluster.partitions if part.topic in topics or part.name in partitions]


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    near = did_you_mean(name, known)
    return f"{kind} {name}: does not exist{f'; did you mean {near}?' if near else ''}"


def plan_preferred(parts: Iterable[Partition]) -> Plan:
    """Plan the election of each preferred replica that is in sync but does not lead."""
    steps, impossible = [], []
    for part in parts:
        if part.preferred:
            continue
        if part.replicas[0] in part.isr:
            steps.append(Elect(part))
        else:
            impossible.append(f"{part.name}: broker {part.replicas[0]} is not in sync")
    return Plan(tuple(steps), tuple(impossible))


def plan_unclean(
    parts: Iterable[Partition], confirmed: Collection[str], live: Collection[int]
) -> Plan:
    """Return elections of replicas out of sync, for offline partitions; records may be lost.

    Raises ElectionError for unconfirmed partitions and those without a live replica.
    """
    steps, errors = [], []
    for part in parts:
        if not part.offline:
            continue
        if part.name not in confirmed:
            errors.append(
                f"partition {part.name}: an unclean election loses records; to confirm it, "
                "add the name to confirm_data_loss"
            )
        elif not set(part.replicas) & set(live):
            brokers = ", ".join(str(broker) for broker in part.replicas)
            errors.append(f"partition {part.name}: none of its brokers {brokers} is registered")
        else:
            steps.append(Elect(part, unclean=True))
    if errors:
        raise ElectionError(errors)
    return Plan(tuple(steps))
