# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Order and batch sizes of leader elections; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .snapshot import Cluster, Partition

# Target time of one batch in seconds: the longest time a partition of it is unavailable.
BATCH_SECONDS = 0.5


def parse_partitions(
    topic: Mapping[str, Any], moving: Mapping[tuple[str, int], Mapping[str, Any]]
) -> list[Partition]:
    """Return the partitions of a topic from Kafka's description, sorted by number.

    ``moving`` holds Kafka's ongoing reassignments by topic and partition.
    """
    return sorted(
        (
            Partition(
                topic=topic["name"],
                id=part["partition_index"],
                leader=part["leader_id"],
                replicas=tuple(part["replica_nodes"]),
                isr=tuple(part["isr_nodes"]),
                adding=tuple(order.get("adding_replicas", ())),
                removing=tuple(order.get("removing_replicas", ())),
            )
            for part in topic["partitions"]
            for order in (moving.get((topic["name"], part["partition_index"]), {}),)
        ),
        key=lambda part: part.id,
    )


def election_order(parts: Iterable[Partition]) -> list[Partition]:
    """Return partitions in the order of their elections: internal topics, then by name.

    The first elections on a newly started broker are slow; with internal topics first, they
    delay fewer producers.
    """
    return sorted(parts, key=lambda part: (not part.topic.startswith("__"), part.topic, part.id))


def next_batch(size: int, took: float) -> int:
    """Return the size of the next batch after one of ``size`` that took ``took`` seconds.

    It grows at most fourfold, and aims at BATCH_SECONDS per batch.
    """
    return max(1, int(size * min(4.0, BATCH_SECONDS / max(took, 0.001))))


def electable_partitions(cluster: Cluster) -> list[Partition]:
    """Return partitions whose preferred replica is in sync but not the leader."""
    return [
        part for part in cluster.partitions if not part.preferred and part.replicas[0] in part.isr
    ]
