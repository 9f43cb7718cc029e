# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""In which portions leaders move back to a broker that returned; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .snapshot import Cluster, Partition

# What a partition may wait for its new leader because others get theirs with it.
BATCH_SECONDS = 0.5


def partitions_of(
    topic: Mapping[str, Any], moving: Mapping[tuple[str, int], Mapping[str, Any]]
) -> list[Partition]:
    """The partitions of a topic as Kafka describes it, in order."""
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


def warm_up_first(parts: Iterable[Partition]) -> list[Partition]:
    """Partitions in the order of their elections: Kafka's own topics, then by name.

    A broker that has just started takes long for what it does the first time; whoever writes to a
    topic of people waits less.
    """
    return sorted(parts, key=lambda part: (not part.topic.startswith("__"), part.topic, part.id))


def next_batch(size: int, took: float) -> int:
    """How many leaders to elect at once after ``size`` took so many seconds to be served.

    At most four times as many, and so many that they take half a second, as far as that tells.
    """
    return max(1, int(size * min(4.0, BATCH_SECONDS / max(took, 0.001))))


def electable(cluster: Cluster) -> list[Partition]:
    """Partitions whose first replica does not lead and could."""
    return [
        part for part in cluster.partitions if not part.preferred and part.replicas[0] in part.isr
    ]
