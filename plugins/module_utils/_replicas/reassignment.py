# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Move replicas between brokers for a limited time, and remove the throttles at the end.

The plan is derived from the cluster each time, so a new run continues an interrupted one.
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
from .placement import Move, Spec, bytes_left, moving_partitions, next_moves, plan

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import ConfigResource
    from kafka.structs import TopicPartition

POLL_INTERVAL = 2.0
# Sources of dynamic values in DescribeConfigs.
DYNAMIC = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_TOPIC_CONFIG")


class ReassignConnection(ContentConnection, ClusterConnection):
    """A connection that moves replicas between brokers."""

    def sizes(self, topics: Iterable[str], cluster: Cluster) -> dict[int, dict[str, int]]:
        """Return the bytes of partitions, by responding broker and ``topic-partition``."""
        wanted: dict[str, list[int]] = {}
        chosen = set(topics)
        for part in cluster.partitions:
            if part.topic in chosen:
                wanted.setdefault(part.topic, []).append(part.id)
        brokers = sorted(responding_brokers(cluster))
        return {broker: self.sizes_of(broker, wanted) for broker in brokers} if wanted else {}

    def start(self, moves: Sequence[Move]) -> None:
        """Start reassignments; raises ClusterError with every rejected one."""
        wanted = {TopicPartition(*move.key): list(move.target) for move in moves}
        answers = self.call(
            "starting reassignments",
            self.admin.alter_partition_reassignments,
            wanted,
            timeout_ms=self.server_timeout_ms(),
        )
        refused = [
            f"{at.topic}-{at.partition}: {error.__name__}" for at, error in answers.items() if error
        ]
        if refused:
            raise ClusterError(f"moves are rejected: {'; '.join(sorted(refused))}")

    def throttled(self, resources: Iterable[tuple[str, str]]) -> throttles.Throttles:
        """Return the throttles on resources, which are pairs of kind and name."""
        wanted = [
            ConfigResource(kind, name, list(throttles.KEYS[kind]))
            for kind, name in sorted(set(resources))
        ]
        found = (
            self.call("reading throttles", self.admin.describe_configs, wanted) if wanted else {}
        )
        return {
            (kind, name, key): entry["value"] or ""
            for kind, entries in found.items()
            for name, keys in entries.items()
            for key, entry in keys.items()
            if entry["config_source"] in DYNAMIC and entry["value"]
        }

    def set_throttles(
        self, desired: throttles.Throttles, throttle_file: throttles.ThrottleFile
    ) -> list[str]:
        """Set throttles; return messages on foreign ones, which are kept."""
        current = self.throttled((kind, name) for kind, name, _ in desired)
        changes = throttles.throttles_to_set(desired, current, throttle_file.own)
        if changes:
            throttle_file.add(changes)
            self.alter(config_resources(changes), self.admin.alter_configs)
        return throttles.foreign_messages(throttles.foreign_throttles(current, throttle_file.own))

    def remove_throttles(
        self, throttle_file: throttles.ThrottleFile, brokers: Iterable[int]
    ) -> bool:
        """Remove the listed throttles that are unchanged; return whether there were any.

        ``brokers`` are the responding ones. A rate on another broker has no effect once topics
        have no throttled replicas; it stays in the file until that broker responds.
        """
        own = throttles.reachable_throttles(throttle_file.own, brokers)
        ours = self.still_set(own)
        if ours:
            self.alter(config_resources(dict.fromkeys(ours)), self.admin.reset_configs)
        throttle_file.keep(
            {where: value for where, value in throttle_file.own.items() if where not in own}
        )
        return bool(ours)

    def still_set(self, own: throttles.Throttles) -> throttles.Throttles:
        """Return the throttles in ``own`` that are unchanged in the cluster."""
        current = self.throttled((kind, name) for kind, name, _ in own)
        return {where: value for where, value in current.items() if own.get(where) == value}

    def alter(self, resources: list[Any], how: Any) -> None:
        """Set or reset keys with the client's method ``how``; raises ClusterError."""
        answer = self.call("changing throttles", how, resources, raise_on_unknown=False)
        errors = [
            f"{kind} {name}: {result}"
            for kind, entries in answer.items()
            for name, result in entries.items()
            if result != "OK"
        ]
        if errors:
            raise ClusterError(f"changing throttles: {'; '.join(errors)}")


def responding_brokers(cluster: Cluster) -> set[int]:
    """Return the registered brokers that respond; replicas on others do not catch up."""
    return cluster.broker_ids() - set(cluster.unresponsive)


def config_resources(changes: Mapping[tuple[str, str, str], Any]) -> list[Any]:
    """Return the changes as config resources of kafka-python."""
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for (kind, name, key), value in changes.items():
        grouped.setdefault((kind, name), {})[key] = value
    return [ConfigResource(kind, name, keys) for (kind, name), keys in sorted(grouped.items())]


def report(
    cluster: Cluster, specs: Sequence[Spec], moves: Sequence[Move], left: int
) -> dict[str, Any]:
    """Return the progress in plain types."""
    under_way = moving_partitions(cluster, specs)
    return {
        "done": not moves and not under_way,
        "remaining": left,
        "remaining_partitions": len(moves) + len(under_way),
        "phase": "moving",
        "steps": [str(move) for move in moves],
        "waits_for": [f"{part.name} is being moved" for part in under_way],
    }


def preview(
    connection: ReassignConnection, specs: Sequence[Spec], throttle_file: throttles.ThrottleFile
) -> dict[str, Any]:
    """Return the planned moves without starting them; raises PlacementError."""
    cluster = connection.read_cluster()
    moves = plan(cluster, specs)
    sizes = connection.sizes([spec.topic for spec in specs], cluster)
    found = report(
        cluster, specs, moves, bytes_left(moves, moving_partitions(cluster, specs), sizes)
    )
    if connection.still_set(
        throttles.reachable_throttles(throttle_file.own, responding_brokers(cluster))
    ):
        found["steps"].append("remove the throttle of an interrupted move")
        found["done"] = False
    return found


def run_moves(
    connection: ReassignConnection,
    specs: Sequence[Spec],
    throttle_file: throttles.ThrottleFile,
    limits: tuple[int, int, float],
) -> dict[str, Any]:
    """Move replicas towards the specs for a limited time; return the progress and ``changed``.

    ``limits``: bytes per second and broker, partitions at the same time, seconds. The throttle
    stays effective between two calls and is removed at the end, also that of an earlier run.
    ``foreign``: messages on throttles of other tools; ``throttles``: rows of own throttles that
    are still set. Raises PlacementError or ClusterError.
    """
    rate, most, seconds = limits
    deadline = Deadline(seconds)
    topics = [spec.topic for spec in specs]
    changed = False
    steps: list[str] = []
    foreign: list[str] = []
    while True:
        connection.deadline = Deadline(connection.timeout)
        cluster = connection.read_cluster()
        brokers = responding_brokers(cluster)
        moves, under_way = plan(cluster, specs), moving_partitions(cluster, specs)
        steps = steps or [str(move) for move in moves]
        now = next_moves(moves, len(under_way), most)
        if now:
            if rate:
                desired = throttles.desired_throttles(now, under_way, brokers, rate)
                foreign = connection.set_throttles(desired, throttle_file)
            connection.start(now)
            changed = True
        if not moves and not under_way:
            changed |= connection.remove_throttles(throttle_file, brokers)
            parts = [p for p in cluster.partitions if p.topic in set(topics) and not p.preferred]
            # The preferred replica may be a new one, which can lead only now.
            connection.elect([part for part in parts if part.replicas[0] in part.isr])
        if (not moves and not under_way) or deadline.passed():
            left = bytes_left(moves, under_way, connection.sizes(topics, cluster))
            found = report(cluster, specs, moves, left)
            own = throttles.to_rows(throttle_file.own)
            return {
                "changed": changed, **found, "steps": steps, "foreign": foreign, "throttles": own
            }  # fmt: skip
        # A round is cheap: the sizes of logs are read only in the last one.
        time.sleep(POLL_INTERVAL)
