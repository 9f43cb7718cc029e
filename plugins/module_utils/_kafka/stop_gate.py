# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether brokers may be stopped now: the decision, without any I/O.

Brokers may go when every partition keeps its min.insync.replicas without them, because then no
writer with acks=all is refused and no acknowledged record rests on fewer replicas than promised.
A partition whose replication factor is not above its min ISR can never meet this: it is named as
unprotected and does not block, else its broker could never be restarted at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from .snapshot import NOBODY, Cluster, Partition


@dataclass(frozen=True)
class Decision:
    """The answer for brokers: messages that say why not, and partitions they will take along."""

    brokers: tuple[int, ...]
    blockers: tuple[str, ...]
    unprotected: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether nothing speaks against the stop."""
        return not self.blockers


def protected(partition: Partition, min_isr: int) -> bool:
    """Whether the partition has a replica to spare when all are in sync."""
    return len(partition.established) > min_isr


def blocker(partition: Partition, min_isr: int, stopping: Set[int], silent: Set[int]) -> str | None:
    """Why this partition does not allow ``stopping`` brokers to stop, or None when it does.

    ``silent`` brokers do not answer: the ISR still names them, but nobody can rely on them.
    """
    if partition.offline:
        return f"{partition.name} is offline: none of its replicas {ids(partition.replicas)} leads"
    rest = [each for each in partition.isr if each not in stopping and each not in silent]
    without = f"without {words(stopping)}"
    if not protected(partition, min_isr):
        # A sole replica has nobody to wait for; a second one must have caught up first.
        if len(partition.established) > 1 and not rest:
            return f"{partition.name} would have no replica in sync {without}"
        return None
    if not stopping & set(partition.replicas) or len(rest) >= min_isr:
        return None
    if stopping & set(partition.isr):
        return (
            f"{partition.name} would have {len(rest)} replicas in sync {without}, "
            f"its min.insync.replicas is {min_isr}"
        )
    return (
        f"{partition.name} has {len(rest)} replicas in sync, its min.insync.replicas is {min_isr}, "
        f"and {words(stopping)} may be the first to catch up"
    )


def ids(brokers: Iterable[int]) -> str:
    """Broker ids for a sentence."""
    return ", ".join(str(broker) for broker in brokers) or "none"


def words(brokers: Set[int]) -> str:
    """``broker 1`` or ``brokers 1, 2``."""
    return f"broker{'s' if len(brokers) > 1 else ''} {ids(sorted(brokers))}"


def before_stop(cluster: Cluster, brokers: int | Iterable[int]) -> Decision:
    """Whether ``brokers`` may be stopped, all at once, while ``cluster`` looks as it does.

    A broker that is not registered serves nothing, so its stop takes nothing away.
    """
    asked = (brokers,) if isinstance(brokers, int) else tuple(brokers)
    stopping = cluster.broker_ids() & set(asked)
    if not stopping:
        return Decision(asked, (), ())
    blockers: list[str] = []
    unprotected: list[str] = []
    blockers += cluster.unread
    if cluster.controller == NOBODY:
        blockers.append("the cluster has no controller, nobody would elect new leaders")
    if cluster.reassignments:
        blockers.append(f"partitions are being reassigned: {', '.join(cluster.reassignments)}")
    for partition in cluster.partitions:
        min_isr = cluster.min_isr[partition.topic]
        safe_by_design = protected(partition, min_isr)
        if not safe_by_design and stopping & set(partition.replicas):
            unprotected.append(partition.name)
        if not safe_by_design and partition.offline:
            continue
        reason = blocker(partition, min_isr, stopping, cluster.silent.keys())
        if reason:
            blockers.append(reason)
    return Decision(asked, tuple(blockers), tuple(unprotected))
