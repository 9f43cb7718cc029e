"""Requests for consumer groups, brokers and topics of a cluster, for the exporter."""

from collections.abc import Iterable, Mapping
from concurrent.futures import wait
from typing import Any, Protocol

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ConfigResource, ConfigSource, OffsetSpec

from . import limits
from ._problems.config_values import UNKNOWN, Value
from .items import MARGIN_S, Items, reason, requested, result_now, result_of
from .lag import Partition
from .overview import Overview, overview

TIMEOUT_S = 10.0
# Cache time of group coordinators, below the read interval: librdkafka crashes when it sends a
# request to a broker that is no longer the coordinator (librdkafka issue 5040).
COORDINATOR_MS = 3000
# Seconds for a broker that accepts connections and does not respond. Without a limit of their own,
# requests for metadata wait a minute for it, and so does the choice of another one.
FROZEN_S = 5.0
# The source of a key that is set on a topic; librdkafka returns its number.
SET_ON_TOPIC = (ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_TOPIC_CONFIG.value)


class Cluster(Protocol):
    """Requests of the exporter to a cluster."""

    def groups(self) -> tuple[list[str], list[str]]:
        """Return the names of consumer groups, and the errors of brokers that did not list any."""

    def assignments(self, groups: Iterable[str]) -> Items[str, list[list[str]]]:
        """Return the assigned topics of each member, by group."""

    def committed(self, groups: Iterable[str]) -> Items[str, dict[Partition, int]]:
        """Return the committed offset of each partition, by group."""

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the end offsets of partitions, without those that have no leader."""

    def overview(self) -> Overview:
        """Return brokers and topics."""

    def limits(self, brokers: Iterable[int]) -> Items[int, dict[str, int]]:
        """Return connection limits of listeners, by broker."""

    def topic_keys(self, topics: Iterable[str]) -> Items[str, dict[str, Value]]:
        """Return the keys that are set on topics, by topic."""


class Kafka:
    """Read-only access to a cluster by its admin API."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Connect with ``options`` of librdkafka."""
        own = {"metadata.max.age.ms": COORDINATOR_MS, "socket.timeout.ms": int(FROZEN_S * 1000)}
        self._admin = AdminClient({**own, **options})
        self._racks: dict[int, str] = {}

    def groups(self) -> tuple[list[str], list[str]]:
        """Return the names of consumer groups, and the errors of brokers that did not list any."""
        future = self._admin.list_consumer_groups(request_timeout=TIMEOUT_S)
        listed = result_of(future, TIMEOUT_S)
        names = sorted(each.group_id for each in listed.valid)
        return names, [reason(each) for each in listed.errors]

    def assignments(self, groups: Iterable[str]) -> Items[str, list[list[str]]]:
        """Return the assigned topics of each member, by group."""
        wanted = list(groups)
        if not wanted:
            return Items()
        futures = self._admin.describe_consumer_groups(wanted, request_timeout=TIMEOUT_S)
        return requested(wanted, futures.__getitem__, _assigned, TIMEOUT_S)

    def committed(self, groups: Iterable[str]) -> Items[str, dict[Partition, int]]:
        """Return the committed offset of each partition, by group."""

        def request(group: str) -> Any:
            # A request may contain one group only.
            wanted = [ConsumerGroupTopicPartitions(group)]
            return self._admin.list_consumer_group_offsets(wanted, request_timeout=TIMEOUT_S)[group]

        return requested(groups, request, _offsets, TIMEOUT_S)

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the end offsets of partitions, without those that have no leader."""
        wanted = {TopicPartition(*each): OffsetSpec.latest() for each in partitions}
        if not wanted:
            return {}
        futures = self._admin.list_offsets(wanted, request_timeout=TIMEOUT_S)
        wait(futures.values(), TIMEOUT_S + MARGIN_S)
        found = {}
        for where, future in futures.items():
            if not future.done() or future.exception() is None:
                # One request has the offsets of all partitions: raise if it has not ended.
                offset = result_now(future, TIMEOUT_S).offset
                found[where.topic, where.partition] = offset
        return found

    def overview(self) -> Overview:
        """Return brokers and topics; while no controller responds, with the last known racks."""
        # First, because any broker responds to it, with the id of a new controller.
        listed = self._admin.list_topics(timeout=TIMEOUT_S)
        future = self._admin.describe_cluster(request_timeout=FROZEN_S)
        try:
            nodes = result_of(future, FROZEN_S).nodes
            self._racks = {node.id: node.rack for node in nodes if node.rack}
        except KafkaException as error:
            if error.args[0].code() != KafkaError._TIMED_OUT:
                raise
        return overview(listed, self._racks)

    def limits(self, brokers: Iterable[int]) -> Items[int, dict[str, int]]:
        """Return connection limits of listeners, by broker."""

        def request(broker: int) -> Any:
            # Only the broker itself returns its settings. A request may contain one broker only.
            resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
            return self._admin.describe_configs([resource], request_timeout=TIMEOUT_S)[resource]

        return requested(brokers, request, _limits, TIMEOUT_S)

    def topic_keys(self, topics: Iterable[str]) -> Items[str, dict[str, Value]]:
        """Return the keys that are set on topics, by topic; one request."""
        kind = ConfigResource.Type.TOPIC
        resources = {name: ConfigResource(kind, name) for name in topics}
        if not resources:
            return Items()
        every = list(resources.values())
        futures = self._admin.describe_configs(every, request_timeout=TIMEOUT_S)
        return requested(resources, lambda name: futures[resources[name]], _set_keys, TIMEOUT_S)


def _assigned(description: Any) -> list[list[str]]:
    """Return the assigned topics of each member of a described group."""
    return [
        [each.topic for each in member.assignment.topic_partitions] if member.assignment else []
        for member in description.members
    ]


def _offsets(result: Any) -> dict[Partition, int]:
    """Return the committed offset of each partition of a group."""
    return {
        (each.topic, each.partition): each.offset
        for each in result.topic_partitions
        if each.error is None
    }


def _limits(entries: Mapping[str, Any]) -> dict[str, int]:
    """Return the connection limit of each listener in the settings of a broker."""
    return limits.listener_limits({name: entry.value for name, entry in entries.items()})


def _set_keys(entries: Mapping[str, Any]) -> dict[str, Value]:
    """Return the keys that are set on a topic itself, without defaults of brokers."""
    return {
        name: Value(entry.value or "", UNKNOWN)
        for name, entry in entries.items()
        if entry.source in SET_ON_TOPIC
    }
