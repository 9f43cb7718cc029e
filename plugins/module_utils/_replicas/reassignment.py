# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Carry out moves between brokers for a while: start some, look, and leave no throttle behind.

Everything is derived from the cluster each time, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._content.client_base import ContentConnection
from .._kafka.cluster import ClusterConnection
from .._kafka.endpoints import ClusterError
from .._kafka.snapshot import Cluster
from . import throttles
from .placement import Move, Spec, bytes_left, moving, plan, portion

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource
    from kafka.structs import TopicPartition

LOOK = 2.0
# Where Kafka keeps what was set while it ran.
DYNAMIC = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_TOPIC_CONFIG")


class ReassignConnection(ContentConnection, ClusterConnection):
    """A connection that moves replicas between brokers."""

    def sizes(self, topics: Iterable[str], cluster: Cluster) -> dict[int, dict[str, int]]:
        """Bytes of the partitions of topics, by broker that answers and by name."""
        wanted: dict[str, list[int]] = {}
        chosen = set(topics)
        for part in cluster.partitions:
            if part.topic in chosen:
                wanted.setdefault(part.topic, []).append(part.id)
        brokers = sorted(answering(cluster))
        return {broker: self.sizes_of(broker, wanted) for broker in brokers} if wanted else {}

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

    def throttled(self, resources: Iterable[tuple[str, str]]) -> throttles.Throttles:
        """Throttles that are set on resources, each given by its kind and name."""
        asked = [
            ConfigResource(kind, name, list(throttles.KEYS[kind]))
            for kind, name in sorted(set(resources))
        ]
        found = self.ask("throttles", self.admin.describe_configs, asked) if asked else {}
        return {
            (kind, name, key): entry["value"] or ""
            for kind, entries in found.items()
            for name, keys in entries.items()
            for key, entry in keys.items()
            if entry["config_source"] in DYNAMIC and entry["value"]
        }

    def throttle(self, desired: throttles.Throttles, record: throttles.Record) -> list[str]:
        """Set throttles; messages on those that somebody else has set, which are kept."""
        current = self.throttled((kind, name) for kind, name, _ in desired)
        changes = throttles.to_set(desired, current, record.own)
        if changes:
            record.add(changes)
            self.alter(resources_of(changes), self.admin.alter_configs)
        return throttles.messages_of(throttles.foreign(current, record.own))

    def release(self, record: throttles.Record, brokers: Iterable[int]) -> bool:
        """Remove the throttles of a record that are still the ones set; whether there were any.

        ``brokers`` are those that answer. The rate of another one limits nothing once its topics
        have no throttled replicas; it stays in the record until a run reaches that broker.
        """
        own = throttles.reachable(record.own, brokers)
        ours = self.still_set(own)
        if ours:
            self.alter(resources_of(dict.fromkeys(ours)), self.admin.reset_configs)
        record.keep({where: value for where, value in record.own.items() if where not in own})
        return bool(ours)

    def still_set(self, own: throttles.Throttles) -> throttles.Throttles:
        """Those of ``own`` that nobody has changed or removed since."""
        current = self.throttled((kind, name) for kind, name, _ in own)
        return {where: value for where, value in current.items() if own.get(where) == value}

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


def answering(cluster: Cluster) -> set[int]:
    """Brokers that are registered and answer; one that does not has no replicas that catch up."""
    return cluster.broker_ids() - set(cluster.silent)


def resources_of(changes: Mapping[tuple[str, str, str], Any]) -> list[Any]:
    """Keys by resource, as the client library takes them."""
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for (kind, name, key), value in changes.items():
        grouped.setdefault((kind, name), {})[key] = value
    return [ConfigResource(kind, name, keys) for (kind, name), keys in sorted(grouped.items())]


def report(
    cluster: Cluster, specs: Sequence[Spec], moves: Sequence[Move], left: int
) -> dict[str, Any]:
    """Where the work stands, in plain types."""
    under_way = moving(cluster, specs)
    return {
        "done": not moves and not under_way,
        "left": left,
        "partitions_left": len(moves) + len(under_way),
        "phase": "moving",
        "steps": [str(move) for move in moves],
        "waits_for": [f"{part.name} is being moved" for part in under_way],
    }


def preview(
    connection: ReassignConnection, specs: Sequence[Spec], record: throttles.Record
) -> dict[str, Any]:
    """What would be done, without doing it; raises PlacementError."""
    cluster = connection.read_cluster()
    moves = plan(cluster, specs)
    sizes = connection.sizes([spec.topic for spec in specs], cluster)
    found = report(cluster, specs, moves, bytes_left(moves, moving(cluster, specs), sizes))
    if connection.still_set(throttles.reachable(record.own, answering(cluster))):
        found["steps"].append("remove the throttle of an interrupted move")
        found["done"] = False
    return found


def work(
    connection: ReassignConnection,
    specs: Sequence[Spec],
    record: throttles.Record,
    limits: tuple[int, int, float],
) -> dict[str, Any]:
    """Work on the specs for a while; ``changed`` says whether anything was ordered.

    ``limits``: bytes per second and broker, partitions at the same time, seconds. The throttle
    stays in force between two calls, and is removed when nothing is left to do, also one that an
    earlier run has left. ``foreign`` names throttles that others have set, ``throttles`` are rows
    of ours that are still set. Raises PlacementError or ClusterError.
    """
    rate, most, seconds = limits
    deadline = Deadline(seconds)
    topics = [spec.topic for spec in specs]
    changed = False
    said: list[str] = []
    foreign: list[str] = []
    while True:
        connection.deadline = Deadline(connection.timeout)
        cluster = connection.read_cluster()
        brokers = answering(cluster)
        moves, under_way = plan(cluster, specs), moving(cluster, specs)
        said = said or [str(move) for move in moves]
        now = portion(moves, len(under_way), most)
        if now:
            if rate:
                desired = throttles.wanted(now, under_way, brokers, rate)
                foreign = connection.throttle(desired, record)
            connection.start(now)
            changed = True
        if not moves and not under_way:
            changed |= connection.release(record, brokers)
            parts = [p for p in cluster.partitions if p.topic in set(topics) and not p.preferred]
            # A first replica may be a new one: it leads once it can.
            connection.elect([part for part in parts if part.replicas[0] in part.isr])
        if (not moves and not under_way) or deadline.passed():
            left = bytes_left(moves, under_way, connection.sizes(topics, cluster))
            found = report(cluster, specs, moves, left)
            own = throttles.rows_of(record.own)
            return {
                "changed": changed, **found, "steps": said, "foreign": foreign, "throttles": own
            }  # fmt: skip
        # Brokers are asked for the sizes of their logs at the end alone; this is one question.
        time.sleep(LOOK)
