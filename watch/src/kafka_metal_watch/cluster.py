"""Read consumer groups, brokers and topics of a cluster for the exporter."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, OffsetSpec

from . import limits
from .lag import History, Partition, lags, members_by_topic
from .metrics import ClusterState
from .overview import Overview, overview

TIMEOUT_S = 10.0
# Cache time of group coordinators, below the read interval: librdkafka crashes when it sends a
# request to a broker that is no longer the coordinator (librdkafka issue 5040).
COORDINATOR_MS = 3000


class Cluster(Protocol):
    """Requests of the exporter to a cluster."""

    def groups(self) -> list[str]:
        """Return the names of consumer groups."""

    def assignments(self, groups: Iterable[str]) -> dict[str, list[list[str]]]:
        """Return the assigned topics of each member, by group."""

    def committed(self, group: str) -> dict[Partition, int]:
        """Return a group's committed offset of each partition."""

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the end offsets of partitions, without those that have no leader."""

    def overview(self) -> Overview:
        """Return brokers and topics."""

    def limits(self, brokers: Iterable[int]) -> dict[tuple[int, str], int]:
        """Return connection limits by broker and listener."""


class Kafka:
    """Read-only access to a cluster by its admin API."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Connect with ``options`` of librdkafka."""
        self._admin = AdminClient({"metadata.max.age.ms": COORDINATOR_MS, **options})

    def groups(self) -> list[str]:
        """Return the names of consumer groups."""
        listed = self._admin.list_consumer_groups(request_timeout=TIMEOUT_S).result()
        return sorted(each.group_id for each in listed.valid)

    def assignments(self, groups: Iterable[str]) -> dict[str, list[list[str]]]:
        """Return the assigned topics of each member, by group."""
        wanted = list(groups)
        if not wanted:
            return {}
        futures = self._admin.describe_consumer_groups(wanted, request_timeout=TIMEOUT_S)
        return {
            name: [
                [each.topic for each in member.assignment.topic_partitions]
                if member.assignment
                else []
                for member in future.result().members
            ]
            for name, future in futures.items()
        }

    def committed(self, group: str) -> dict[Partition, int]:
        """Return a group's committed offset of each partition."""
        futures = self._admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group)], request_timeout=TIMEOUT_S
        )
        return {
            (each.topic, each.partition): each.offset
            for each in futures[group].result().topic_partitions
            if each.error is None
        }

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the end offsets of partitions, without those that have no leader."""
        wanted = {TopicPartition(*each): OffsetSpec.latest() for each in partitions}
        if not wanted:
            return {}
        found = {}
        for where, future in self._admin.list_offsets(wanted, request_timeout=TIMEOUT_S).items():
            if future.exception() is None:
                found[where.topic, where.partition] = future.result().offset
        return found

    def overview(self) -> Overview:
        """Return brokers and topics."""
        racks = self._admin.describe_cluster(request_timeout=TIMEOUT_S).result().nodes
        return overview(
            self._admin.list_topics(timeout=TIMEOUT_S),
            {node.id: node.rack for node in racks if node.rack},
        )

    def limits(self, brokers: Iterable[int]) -> dict[tuple[int, str], int]:
        """Return connection limits by broker and listener; none for brokers that do not respond."""
        # Only the broker itself returns its settings, and a request may contain one broker only.
        futures = {
            broker: self._admin.describe_configs([resource], request_timeout=TIMEOUT_S)[resource]
            for broker in brokers
            for resource in [ConfigResource(ConfigResource.Type.BROKER, str(broker))]
        }
        found = {}
        for broker, future in futures.items():
            try:
                settings = {name: entry.value for name, entry in future.result().items()}
            except KafkaException:
                continue
            for listener, limit in limits.listener_limits(settings).items():
                found[broker, listener] = limit
        return found


class Reader:
    """Compute the lag of groups from the history of end offsets."""

    def __init__(self, cluster: Cluster, exclude: str = "") -> None:
        """``exclude``: regular expression of groups to skip."""
        self._cluster = cluster
        self._exclude = re.compile(exclude) if exclude else None
        self._histories: dict[Partition, History] = {}

    def read(self, now: float) -> ClusterState:
        """Return the state of the cluster and the lag of all groups at the time ``now``."""
        seen = self._cluster.overview()
        groups = [
            name
            for name in self._cluster.groups()
            if self._exclude is None or not self._exclude.search(name)
        ]
        committed = {group: self._cluster.committed(group) for group in groups}
        partitions = sorted({each for offsets in committed.values() for each in offsets})
        ends = self._cluster.ends(partitions)
        for where, end in ends.items():
            self._histories.setdefault(where, History()).add(now, end)
        for gone in self._histories.keys() - set(partitions):
            del self._histories[gone]
        members = self._cluster.assignments(groups)
        return ClusterState(
            read=now,
            overview=seen,
            limits=self._cluster.limits(each.id for each in seen.brokers if each.registered),
            lags=tuple(
                lag
                for group in groups
                for lag in lags(group, committed[group], ends, self._histories, now)
            ),
            members={
                (group, topic): count
                for group in groups
                for topic, count in _members(committed[group], members.get(group, [])).items()
            },
        )


def _members(committed: Mapping[Partition, int], assigned: list[list[str]]) -> dict[str, int]:
    """Return members by topic; 0 for a topic with committed offsets but without members."""
    return {**{topic: 0 for topic, _ in committed}, **members_by_topic(assigned)}
