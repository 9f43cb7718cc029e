# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a broker may be stopped now: the decision, without any I/O.

A broker may go when every partition keeps its min.insync.replicas without it, because then no
writer with acks=all is refused and no acknowledged record rests on fewer replicas than promised.
A partition whose replication factor is not above its min ISR can never meet this: it is named as
unprotected and does not block, else its broker could never be restarted at all.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from .state import NOBODY, Cluster, Partition


@dataclass(frozen=True)
class Decision:
    """The answer for one broker: sentences that say why not, and partitions it will take along."""

    broker: int
    blockers: tuple[str, ...]
    unprotected: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether nothing speaks against the stop."""
        return not self.blockers


def protected(partition: Partition, min_isr: int) -> bool:
    """Whether the partition has a replica to spare when all are in sync."""
    return len(partition.established) > min_isr


def obstacle(partition: Partition, min_isr: int, broker: int, silent: Set[int]) -> str | None:
    """Why this partition does not allow ``broker`` to stop, or None when it does.

    ``silent`` brokers do not answer: the ISR still names them, but nobody can rely on them.
    """
    if partition.offline:
        return f"{partition.name} is offline: none of its replicas {ids(partition.replicas)} leads"
    rest = [replica for replica in partition.isr if replica != broker and replica not in silent]
    if not protected(partition, min_isr):
        # A sole replica has nobody to wait for; a second one must have caught up first.
        if len(partition.established) > 1 and not rest:
            return f"{partition.name} would have no replica in sync without broker {broker}"
        return None
    if broker not in partition.replicas or len(rest) >= min_isr:
        return None
    if broker in partition.isr:
        return (
            f"{partition.name} would have {len(rest)} replicas in sync without broker {broker}, "
            f"its min.insync.replicas is {min_isr}"
        )
    return (
        f"{partition.name} has {len(rest)} replicas in sync, its min.insync.replicas is {min_isr}, "
        f"and broker {broker} may be the first to catch up"
    )


def ids(brokers: tuple[int, ...]) -> str:
    """Broker ids for a sentence."""
    return ", ".join(str(broker) for broker in brokers) or "none"


def before_stop(cluster: Cluster, broker: int) -> Decision:
    """Whether ``broker`` may be stopped while ``cluster`` looks as it does.

    A broker that is not registered serves nothing, so its stop takes nothing away.
    """
    if broker not in cluster.broker_ids():
        return Decision(broker, (), ())
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
        if not safe_by_design and broker in partition.replicas:
            unprotected.append(partition.name)
        if not safe_by_design and partition.offline:
            continue
        reason = obstacle(partition, min_isr, broker, cluster.silent.keys())
        if reason:
            blockers.append(reason)
    return Decision(broker, tuple(blockers), tuple(unprotected))
