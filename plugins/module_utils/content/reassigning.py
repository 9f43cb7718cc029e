# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Carry out moves between brokers for a while: start some, look, and leave no throttle behind.

Everything is derived from the cluster each time, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..cluster import ClusterConnection
from ..endpoint import ClusterError
from ..state import Cluster
from ..topic import THROTTLED
from ..waiting import Deadline
from .connection import ContentConnection
from .placement import Move, Wish, bytes_left, moving, plan, portion

# ``connecting`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource
    from kafka.structs import TopicPartition

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
# All replicas of a topic: brokers hold back only those that are out of sync.
EVERY = "*"
LOOK = 2.0


class ReassignConnection(ContentConnection, ClusterConnection):
    """A connection that moves replicas between brokers."""

    def sizes(self, topics: Iterable[str], cluster: Cluster) -> dict[int, dict[str, int]]:
        """Bytes of the partitions of topics, by broker that answers and by name."""
        wanted: dict[str, list[int]] = {}
        chosen = set(topics)
        for part in cluster.partitions:
            if part.topic in chosen:
                wanted.setdefault(part.topic, []).append(part.id)
        answering = sorted(cluster.broker_ids() - set(cluster.silent))
        return {broker: self.sizes_of(broker, wanted) for broker in answering} if wanted else {}

    def start(self, moves: Sequence[Move]) -> None:
        """Have the controller start moves; raises ClusterError with every refusal."""
        wanted = {TopicPartition(*move.key): list(move.target) for move in moves}
        answers = self.ask(
            "reassignment of partitions",
            self.admin.alter_partition_reassignments,
            wanted,
            timeout_ms=self.server_timeout_ms(),
        )
        refused = [
            f"{at.topic}-{at.partition}: {error.__name__}" for at, error in answers.items() if error
        ]
        if refused:
            raise ClusterError(f"moves are refused: {'; '.join(sorted(refused))}")

    def throttle(self, topics: Iterable[str], brokers: Iterable[int], rate: int) -> None:
        """Let replicas of topics that catch up take so many bytes per second and broker."""
        rates = dict.fromkeys(RATES, str(rate))
        self.alter(
            [
                *(ConfigResource("broker", str(broker), rates) for broker in sorted(brokers)),
                *(ConfigResource("topic", n, dict.fromkeys(THROTTLED, EVERY)) for n in topics),
            ],
            self.admin.alter_configs,
        )

    def release(self, topics: Iterable[str], brokers: Iterable[int]) -> bool:
        """Take away the throttles of topics and brokers; whether there were any."""
        resources = [
            *(ConfigResource("broker", str(broker), list(RATES)) for broker in sorted(brokers)),
            *(ConfigResource("topic", name, list(THROTTLED)) for name in sorted(set(topics))),
        ]
        found = self.ask("throttles", self.admin.describe_configs, resources)
        own = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_TOPIC_CONFIG")
        there = [
            ConfigResource(
                kind, name, [key for key, e in keys.items() if e["config_source"] in own]
            )
            for kind, entries in found.items()
            for name, keys in entries.items()
            if any(entry["config_source"] in own for entry in keys.values())
        ]
        if there:
            self.alter(there, self.admin.reset_configs)
        return bool(there)

    def alter(self, resources: list[Any], how: Any) -> None:
        """Set or reset keys; raises ClusterError."""
        answer = self.ask("throttles", how, resources, raise_on_unknown=False)
        wrong = [
            f"{kind} {name}: {said}"
            for kind, entries in answer.items()
            for name, said in entries.items()
            if said != "OK"
        ]
        if wrong:
            raise ClusterError(f"throttles: {'; '.join(wrong)}")


def report(
    cluster: Cluster, wishes: Sequence[Wish], moves: Sequence[Move], left: int
) -> dict[str, Any]:
    """Where the work stands, in plain types."""
    under_way = moving(cluster, wishes)
    return {
        "done": not moves and not under_way,
        "left": left,
        "partitions_left": len(moves) + len(under_way),
        "phase": "moving",
        "steps": [str(move) for move in moves],
        "waits_for": [f"{part.name} is being moved" for part in under_way],
    }


def preview(connection: ReassignConnection, wishes: Sequence[Wish]) -> dict[str, Any]:
    """What would be done, without doing it; raises PlacementError."""
    cluster = connection.read_cluster()
    moves = plan(cluster, wishes)
    sizes = connection.sizes([wish.topic for wish in wishes], cluster)
    return report(cluster, wishes, moves, bytes_left(moves, moving(cluster, wishes), sizes))


def work(
    connection: ReassignConnection, wishes: Sequence[Wish], rate: int, most: int, seconds: float
) -> dict[str, Any]:
    """Work on the wishes for about so many seconds; ``changed`` says whether anything was ordered.

    The throttle stays in force between two calls, and goes when nothing is left to do, also one
    that a killed run has left behind. Raises PlacementError or ClusterError.
    """
    deadline = Deadline(seconds)
    topics = [wish.topic for wish in wishes]
    changed = False
    said: list[str] = []
    while True:
        connection.deadline = Deadline(connection.timeout)
        cluster = connection.read_cluster()
        # A broker that does not answer has no replicas that catch up.
        brokers = cluster.broker_ids() - set(cluster.silent)
        moves, under_way = plan(cluster, wishes), moving(cluster, wishes)
        said = said or [str(move) for move in moves]
        now = portion(moves, len(under_way), most)
        if now:
            if rate:
                chosen = sorted({move.partition.topic for move in now})
                connection.throttle(chosen, brokers, rate)
            connection.start(now)
            changed = True
        if not moves and not under_way:
            changed |= connection.release(topics, brokers)
            parts = [p for p in cluster.partitions if p.topic in set(topics) and not p.preferred]
            # A first replica may be a new one: it leads once it can.
            connection.elect([part for part in parts if part.replicas[0] in part.isr])
        if (not moves and not under_way) or deadline.passed():
            left = bytes_left(moves, under_way, connection.sizes(topics, cluster))
            return {"changed": changed, **report(cluster, wishes, moves, left), "steps": said}
        # Brokers are asked for the sizes of their logs at the end alone; this is one question.
        time.sleep(LOOK)
