# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Elections of leaders: which are of use, and which lose records; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .._common.suggestions import did_you_mean
from .._kafka.snapshot import Cluster, Partition

PREFERRED, UNCLEAN = "preferred", "unclean"


class ElectionError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Keep the messages apart, for a list of them."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Elect:
    """A partition gets another leader, or one again."""

    partition: Partition
    unclean: bool = False

    def __str__(self) -> str:
        """One message."""
        part = self.partition
        if self.unclean:
            return f"{part.name}: a replica that may lack records leads"
        return f"{part.name}: leader {part.leader} -> {part.replicas[0]}"


@dataclass(frozen=True)
class Plan:
    """Elections, and partitions whose first replica cannot lead, with the reason."""

    steps: tuple[Elect, ...] = ()
    impossible: tuple[str, ...] = ()


def chosen(
    cluster: Cluster, topics: Collection[str], partitions: Collection[str]
) -> list[Partition]:
    """Partitions by name and those of topics, all without either; raises ElectionError."""
    names = {part.name for part in cluster.partitions}
    there = {part.topic for part in cluster.partitions}
    wrong = [_unknown("topic", name, there) for name in topics if name not in there]
    wrong += [_unknown("partition", name, names) for name in partitions if name not in names]
    if wrong:
        raise ElectionError(wrong)
    if not topics and not partitions:
        return list(cluster.partitions)
    return [part for part in cluster.partitions if part.topic in topics or part.name in partitions]


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    near = did_you_mean(name, known)
    return f"{kind} {name}: there is none{f'; did you mean {near}?' if near else ''}"


def plan_preferred(parts: Iterable[Partition]) -> Plan:
    """Elections that give leadership back to first replicas."""
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
    """Elections of replicas that are out of sync, which lose what those have not.

    Only for partitions that nobody can serve otherwise; each is confirmed by its name. Raises
    ElectionError.
    """
    steps, wrong = [], []
    for part in parts:
        if not part.offline:
            # The spec is met: somebody leads.
            continue
        if part.name not in confirmed:
            wrong.append(
                f"partition {part.name}: an unclean election loses records; it is done once its "
                "name stands under confirm_data_loss as well"
            )
        elif not set(part.replicas) & set(live):
            brokers = ", ".join(str(broker) for broker in part.replicas)
            wrong.append(f"partition {part.name}: none of its brokers {brokers} is registered")
        else:
            steps.append(Elect(part, unclean=True))
    if wrong:
        raise ElectionError(wrong)
    return Plan(tuple(steps))
