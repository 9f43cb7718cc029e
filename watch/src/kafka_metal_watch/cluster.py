"""What the exporter asks a cluster for."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, OffsetSpec

from . import limits
from .lag import History, Partition, lags, members_by_topic
from .metrics import Found
from .overview import Overview, overview

PATIENCE_S = 10.0
# How long librdkafka remembers the coordinator of a group, less than the interval of reading: it
# crashes when it asks a broker that is the coordinator no more (librdkafka issue 5040).
COORDINATOR_MS = 3000


class Cluster(Protocol):
    """A cluster as the exporter sees it."""

    def groups(self) -> list[str]:
        """Names of consumer groups."""

    def assignments(self, groups: Iterable[str]) -> dict[str, list[list[str]]]:
        """By group, the topics of each member."""

    def committed(self, group: str) -> dict[Partition, int]:
        """Offsets that a group committed."""

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Ends of partitions; those that have no leader are left out."""

    def overview(self) -> Overview:
        """Brokers and topics."""

    def limits(self, brokers: Iterable[int]) -> dict[tuple[int, str], int]:
        """Connections that may be open, by broker and listener."""


class Kafka:
    """A real one."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """``options`` are librdkafka's."""
        self._admin = AdminClient({"metadata.max.age.ms": COORDINATOR_MS, **options})

    def groups(self) -> list[str]:
        """Names of consumer groups."""
        answer = self._admin.list_consumer_groups(request_timeout=PATIENCE_S).result()
        return sorted(each.group_id for each in answer.valid)

    def assignments(self, groups: Iterable[str]) -> dict[str, list[list[str]]]:
        """By group, the topics of each member."""
        wanted = list(groups)
        if not wanted:
            return {}
        answers = self._admin.describe_consumer_groups(wanted, request_timeout=PATIENCE_S)
        return {
            name: [
                [each.topic for each in member.assignment.topic_partitions]
                if member.assignment
                else []
                for member in answer.result().members
            ]
            for name, answer in answers.items()
        }

    def committed(self, group: str) -> dict[Partition, int]:
        """Offsets that a group committed."""
        answers = self._admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group)], request_timeout=PATIENCE_S
        )
        return {
            (each.topic, each.partition): each.offset
            for each in answers[group].result().topic_partitions
            if each.error is None
        }

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Ends of partitions; those that have no leader are left out."""
        wanted = {TopicPartition(*each): OffsetSpec.latest() for each in partitions}
        if not wanted:
            return {}
        found = {}
        for where, answer in self._admin.list_offsets(wanted, request_timeout=PATIENCE_S).items():
            if answer.exception() is None:
                found[where.topic, where.partition] = answer.result().offset
        return found

    def overview(self) -> Overview:
        """Brokers and topics."""
        racks = self._admin.describe_cluster(request_timeout=PATIENCE_S).result().nodes
        return overview(
            self._admin.list_topics(timeout=PATIENCE_S),
            {node.id: node.rack for node in racks if node.rack},
        )

    def limits(self, brokers: Iterable[int]) -> dict[tuple[int, str], int]:
        """Connections that may be open, by broker and listener; none of a broker that is silent."""
        # A broker answers for itself, and a request holds no more than one.
        answers = {
            broker: self._admin.describe_configs([resource], request_timeout=PATIENCE_S)[resource]
            for broker in brokers
            for resource in [ConfigResource(ConfigResource.Type.BROKER, str(broker))]
        }
        found = {}
        for broker, answer in answers.items():
            try:
                settings = {name: entry.value for name, entry in answer.result().items()}
            except KafkaException:
                continue
            for listener, limit in limits.of_listeners(settings).items():
                found[broker, listener] = limit
        return found


class Reader:
    """Reads lag again and again, and remembers where ends were."""

    def __init__(self, cluster: Cluster, exclude: str = "") -> None:
        """``exclude`` is a regular expression of groups that nobody asks for."""
        self._cluster = cluster
        self._exclude = re.compile(exclude) if exclude else None
        self._histories: dict[Partition, History] = {}

    def read(self, now: float) -> Found:
        """The cluster, and lag of all groups, at this moment."""
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
            self._histories.setdefault(where, History()).note(now, end)
        for gone in self._histories.keys() - set(partitions):
            del self._histories[gone]
        members = self._cluster.assignments(groups)
        return Found(
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
    """Members by topic; 0 for a topic that the group read and nobody reads now."""
    return {**{topic: 0 for topic, _ in committed}, **members_by_topic(assigned)}
