# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Decide whether brokers may be stopped now; no I/O.

Brokers may stop if every partition keeps its min.insync.replicas without them. Then no producer
with acks=all is rejected, and every acknowledged record keeps enough replicas. A partition whose
replication factor is not above its min.insync.replicas can never meet this. It is reported as
unprotected and does not block, because otherwise its broker could never restart.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from .snapshot import NO_BROKER, Cluster, Partition


@dataclass(frozen=True)
class Decision:
    """The decision on brokers: blockers as messages, and the unprotected partitions on them."""

    brokers: tuple[int, ...]
    blockers: tuple[str, ...]
    unprotected: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether there is no blocker."""
        return not self.blockers


def has_spare_replica(partition: Partition, min_isr: int) -> bool:
    """Whether the partition keeps its min.insync.replicas without one replica."""
    return len(partition.established) > min_isr


def blocker(
    partition: Partition, min_isr: int, stopping: Set[int], unresponsive: Set[int]
) -> str | None:
    """Return why this partition blocks the stop of ``stopping`` brokers, or None.

    ``unresponsive`` brokers may still be in the ISR but do not count.
    """
    if partition.offline:
        replicas = broker_ids(partition.replicas)
        return f"{partition.name} is offline: none of its replicas {replicas} leads"
    rest = [each for each in partition.isr if each not in stopping and each not in unresponsive]
    without = f"without {broker_names(stopping)}"
    if not has_spare_replica(partition, min_isr):
        # A single replica cannot be replaced; with two, the other one must be in sync.
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
        f"and {broker_names(stopping)} may be the first to catch up"
    )


def broker_ids(brokers: Iterable[int]) -> str:
    """Return ``1, 2``, or ``none``."""
    return ", ".join(str(broker) for broker in brokers) or "none"


def broker_names(brokers: Set[int]) -> str:
    """Return ``broker 1`` or ``brokers 1, 2``."""
    return f"broker{'s' if len(brokers) > 1 else ''} {broker_ids(sorted(brokers))}"


def before_stop(cluster: Cluster, brokers: int | Iterable[int]) -> Decision:
    """Return whether ``brokers`` may be stopped at the same time, in this state of the cluster.

    An unregistered broker may always be stopped.
    """
    requested = (brokers,) if isinstance(brokers, int) else tuple(brokers)
    stopping = cluster.broker_ids() & set(requested)
    if not stopping:
        return Decision(requested, (), ())
    blockers: list[str] = []
    unprotected: list[str] = []
    blockers += cluster.unread
    if cluster.controller == NO_BROKER:
        blockers.append("the cluster has no controller to elect new leaders")
    if cluster.reassignments:
        blockers.append(f"partitions are being reassigned: {', '.join(cluster.reassignments)}")
    for partition in cluster.partitions:
        min_isr = cluster.min_isr[partition.topic]
        has_spare = has_spare_replica(partition, min_isr)
        if not has_spare and stopping & set(partition.replicas):
            unprotected.append(partition.name)
        if not has_spare and partition.offline:
            continue
        reason = blocker(partition, min_isr, stopping, cluster.unresponsive.keys())
        if reason:
            blockers.append(reason)
    return Decision(requested, tuple(blockers), tuple(unprotected))
