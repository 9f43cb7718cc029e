# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read the state of a cluster as a ``snapshot``, and elect leaders."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .client import Connection
from .endpoints import ClusterError, error_text
from .leader_batches import electable_partitions, election_order, next_batch, parse_partitions
from .snapshot import NO_BROKER, Broker, Cluster, LogDir, Partition
from .views import View, as_seen, differences, lasting, parse

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import ConfigResource, OffsetSpec
    from kafka.errors import KafkaError, for_code
    from kafka.protocol.metadata import MetadataRequest
    from kafka.structs import TopicPartition

MIN_ISR = "min.insync.replicas"
ELECTION_PAUSE = 1.0
# Seconds after which views that differ are read again: brokers get elections one after the other.
VIEWS_PAUSE = 2.0


class ClusterConnection(Connection):
    """A connection that reads the state of a cluster and elects leaders."""

    def read_cluster(self) -> Cluster:
        """Return the current state, also if some brokers do not respond; raises ClusterError."""
        known = self.known_brokers()
        # Requests to each broker come first: afterwards the client has connections to the live
        # ones and prefers them for requests that any broker can process.
        failed, unresponsive = self.read_log_dirs(known)
        if known and len(unresponsive) == len(known):
            reasons = "; ".join(
                f"broker {broker}: {unresponsive[broker]}" for broker in sorted(unresponsive)
            )
            raise ClusterError(f"no broker responds: {reasons}")
        found = self.call("reading brokers and controller", self.admin.describe_cluster)
        answers = run_in_parallel(
            {
                "topics": self.describe_topics,
                "reassignments": partial(
                    self.read_reassignments, found["controller_id"], unresponsive
                ),
            },
            self.deadline,
        )
        if isinstance(answers["topics"], Exception):
            raise ClusterError(error_text(answers["topics"]))
        moving: Any = answers["reassignments"]
        unread = []
        if isinstance(moving, Exception):
            unread.append(f"partition reassignments are unknown: {error_text(moving)}")
            moving = {}
        partitions = [
            part for topic in answers["topics"] for part in parse_partitions(topic, moving)
        ]
        min_isr = self.read_min_isr(sorted({part.topic for part in partitions}))
        registered = {broker["broker_id"] for broker in found["brokers"]}
        return Cluster(
            id=found["cluster_id"] or "",
            controller=found["controller_id"],
            brokers=tuple(
                Broker(broker["broker_id"], broker["host"], broker["port"], broker["rack"])
                for broker in found["brokers"]
            ),
            partitions=tuple(part for part in partitions if part.topic in min_isr),
            min_isr=min_isr,
            failed_log_dirs=tuple(failed),
            reassignments=tuple(sorted(f"{topic}-{number}" for topic, number in moving)),
            unresponsive={
                broker: unresponsive[broker]
                for broker in sorted(unresponsive)
                if broker in registered
            },
            unread=tuple(unread),
        )

    def compare_views(self, cluster: Cluster) -> Cluster:
        """Return the cluster as its controller sees it, with the brokers that see it otherwise."""
        brokers = cluster.broker_ids() - set(cluster.unresponsive)
        views = self.read_views(brokers)
        differing = differences(views, cluster.controller)
        if differing:
            time.sleep(min(VIEWS_PAUSE, max(0.0, self.deadline.left() - self.request_timeout)))
            views = self.read_views(brokers)
            differing = lasting(differing, differences(views, cluster.controller))
        return replace(
            cluster,
            partitions=as_seen(cluster.partitions, views.get(cluster.controller, {})),
            views=differing,
        )

    def read_views(self, brokers: Iterable[int]) -> dict[int, View]:
        """Return the metadata of each broker that responds."""
        requests = {broker: partial(self.view_of, broker) for broker in brokers}
        answers = run_in_parallel(
            requests, Deadline(min(self.request_timeout, self.deadline.left()))
        )
        return {b: view for b, view in answers.items() if not isinstance(view, Exception)}

    def view_of(self, broker: int) -> View:
        """Return leaders and in-sync replicas as one broker reports them."""
        manager = self.admin._manager

        async def request() -> Any:
            wanted = MetadataRequest(topics=None, allow_auto_topic_creation=False)
            return await manager.send(wanted, node_id=broker)

        return parse(manager.run(request).to_dict()["topics"])

    def read_log_dirs(self, brokers: Iterable[int]) -> tuple[list[LogDir], dict[int, str]]:
        """Return failed log dirs, and the reasons of brokers that did not respond."""
        requests = {broker: partial(self.log_dirs_of, broker) for broker in brokers}
        answers = run_in_parallel(
            requests, Deadline(min(self.request_timeout, self.deadline.left()))
        )
        failed, unresponsive = [], {}
        for broker, answer in sorted(answers.items()):
            if isinstance(answer, Exception):
                unresponsive[broker] = error_text(answer)
            else:
                failed += [
                    LogDir(broker, found["log_dir"], for_code(found["error_code"]).__name__)
                    for found in answer
                    if found["error_code"]
                ]
        return failed, unresponsive

    def log_dirs_of(self, broker: int) -> list[dict[str, Any]]:
        """Return the log dirs of one broker without their partitions."""
        found: list[dict[str, Any]] = self.admin.describe_log_dirs({}, [broker])[0]["log_dirs"]
        return found

    def read_reassignments(
        self, controller: int, unresponsive: Mapping[int, str]
    ) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the ongoing reassignments by topic and partition; raises ClusterError."""
        if controller == NO_BROKER:
            return {}
        if controller in unresponsive:
            raise ClusterError(f"the controller, broker {controller}, does not respond")
        return dict(
            self.call("reading partition reassignments", self.admin.list_partition_reassignments)
        )

    def read_min_isr(self, topics: Sequence[str]) -> dict[str, int]:
        """Return the effective min.insync.replicas by topic, read in one request."""
        if not topics:
            return {}
        resources = [ConfigResource("topic", name, [MIN_ISR]) for name in topics]
        found = self.call(
            f"reading {MIN_ISR} of topics",
            self.admin.describe_configs,
            resources,
            config_filter="all",
        )
        return {
            name: int(keys[MIN_ISR]["value"])
            for name, keys in found.get("topic", {}).items()
            if MIN_ISR in keys
        }

    def read_lag(self, cluster: Cluster) -> int | None:
        """Return the bytes that replicas out of sync still have to fetch; None if unknown.

        It is the difference in size on disk of leader and follower, so it is inexact when
        segments are deleted.
        """
        lagging = [part for part in cluster.partitions if part.missing and not part.offline]
        wanted: dict[str, list[int]] = {}
        for part in lagging:
            wanted.setdefault(part.topic, []).append(part.id)
        if not lagging:
            return 0
        brokers = {part.leader for part in lagging}.union(*(part.missing for part in lagging))
        answers = run_in_parallel(
            {
                broker: partial(self.sizes_of, broker, wanted)
                for broker in brokers & cluster.broker_ids()
            },
            Deadline(min(self.request_timeout, self.deadline.left())),
        )
        sizes = {b: found for b, found in answers.items() if not isinstance(found, Exception)}
        known = [
            max(0, sizes[part.leader][part.name] - sizes[broker][part.name])
            for part in lagging
            for broker in part.missing
            if part.name in sizes.get(part.leader, {}) and part.name in sizes.get(broker, {})
        ]
        return sum(known) if known else None

    def sizes_of(self, broker: int, wanted: Mapping[str, list[int]]) -> dict[str, int]:
        """Return the bytes of partitions on one broker, by ``topic-partition``."""
        answer = self.admin.describe_log_dirs(wanted, [broker])[0]
        return {
            f"{topic['name']}-{part['partition_index']}": part["partition_size"]
            for log_dir in answer["log_dirs"]
            for topic in log_dir["topics"]
            for part in topic["partitions"]
            if not part["is_future_key"]
        }

    def elect_preferred(self, cluster: Cluster) -> Cluster:
        """Elect preferred replicas that are in sync; return the cluster once they lead.

        Waits until the deadline; partitions may still have another leader then.
        """
        if not (parts := electable_partitions(cluster)):
            return cluster
        self.elect(parts)
        while True:
            cluster = self.read_cluster()
            if not electable_partitions(cluster) or self.deadline.left() < self.request_timeout:
                return cluster
            # A pause, because clients look up the new leaders at this time.
            time.sleep(ELECTION_PAUSE)

    def elect(self, parts: list[Partition], unclean: bool = False) -> None:
        """Elect leaders in batches; read the cluster again to see whether they lead.

        The controller responds before the new leader is ready: a leader first does two synced
        writes per partition, during which the partitions are unavailable. So each batch must be
        served before the next election. Its size depends on the time of the previous batch: it is
        small for a broker that has just started, or has slow disks.
        """
        rest, size, served = election_order(parts), 1, True
        while rest:
            batch, rest = rest[:size], rest[size:]
            started = time.monotonic()
            wanted: dict[str, list[int]] = {}
            for part in batch:
                wanted.setdefault(part.topic, []).append(part.id)
            self.call(
                f"electing {'unclean' if unclean else 'preferred'} leaders",
                self.admin.elect_leaders,
                int(unclean),
                wanted,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            # After one timeout the rest is elected at once, so that there is no second wait.
            served = served and self.await_leaders(batch)
            size = next_batch(size, time.monotonic() - started) if served else len(rest)

    def await_leaders(self, parts: list[Partition]) -> bool:
        """Whether new leaders serve ``parts`` within the timeout of one request."""
        wanted = {TopicPartition(part.topic, part.id): OffsetSpec.LATEST for part in parts}
        try:
            # The client retries while the broker is not the leader.
            self.admin.list_partition_offsets(wanted, timeout_ms=self.server_timeout_ms())
        except (KafkaError, RuntimeError):
            return False
        return True

    # -- activity of clients ------------------------------------------------------------------

    def read_end_offsets(self) -> dict[str, int]:
        """Return the end offset of every topic, summed over partitions that have a leader."""
        specs = {
            TopicPartition(topic["name"], part["partition_index"]): OffsetSpec.LATEST
            for topic in self.describe_topics()
            for part in topic["partitions"]
            if part["leader_id"] != NO_BROKER
        }
        if not specs:
            return {}
        found = self.call("reading end offsets", self.admin.list_partition_offsets, specs)
        totals: dict[str, int] = {}
        for partition, answer in found.items():
            totals[partition.topic] = totals.get(partition.topic, 0) + int(answer.offset)
        return totals

    def read_group_states(self) -> dict[str, str]:
        """Return the state of every consumer group."""
        groups = self.call("listing consumer groups", self.admin.list_groups)
        return {group["group_id"]: str(group["group_state"]) for group in groups}
