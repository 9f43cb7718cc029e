"""Topic metadata from the brokers: ids and maximum record sizes.

Spark identifies topics by name only. A deleted and recreated topic has another id.
"""

import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.model import Declaration, Site
from pyspark.sql import SparkSession

from kafka_metal_pipeline.recreated import RecreatedTopicError

log = logging.getLogger(__name__)

LIMIT = "max.message.bytes"
# Kafka's default of LIMIT in bytes, used if the client may not describe the topic's config.
DEFAULT_LIMIT = 1_048_588
MISSING, DENIED = "UnknownTopicOrPartitionException", "AuthorizationException"
# Timeouts in ms, shorter than Kafka's defaults: brokers may be down while a driver runs.
TIMEOUT_MS = {"default.api.timeout.ms": "20000", "request.timeout.ms": "10000"}


# Seconds between checks for recreated topics.
WATCH_S = 10.0


class RightsError(ValueError):
    """The cluster's ACLs do not give this client a right that it needs on a topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's current id and number of partitions."""

    id: str
    partitions: int


class Brokers:
    """The cluster's metadata through the JVM's admin client; thread-safe."""

    def __init__(self, spark: SparkSession, site: Site) -> None:
        """Connect; ``close`` disconnects."""
        self._jvm: Any = spark._jvm
        options = self._jvm.java.util.Properties()
        for name, value in (TIMEOUT_MS | settings(site, {})).items():
            options.setProperty(name, value)
        self._admin: Any = self._jvm.org.apache.kafka.clients.admin.AdminClient.create(options)

    def topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """Return topics by name, without those that do not exist.

        Raises Py4JJavaError if the cluster does not respond or does not accept this client.
        """
        wanted = self._jvm.java.util.ArrayList()
        for name in names:
            wanted.add(name)
        if not wanted:
            return {}
        found = self._admin.describeTopics(wanted).topicNameValues()
        return {
            name: Topic(str(topic.topicId()), topic.partitions().size())
            for name, topic in _results(found, MISSING)
        }

    def require_rights(self, required: Mapping[str, Collection[str]]) -> None:
        """Raise RightsError if this client lacks one of the rights, such as READ, on a topic.

        Missing topics are not reported. Raises Py4JJavaError as ``topics``.
        """
        wanted = self._jvm.java.util.ArrayList()
        for name in required:
            wanted.add(name)
        options = self._jvm.org.apache.kafka.clients.admin.DescribeTopicsOptions()
        # Without an authorizer, brokers return all rights.
        options.includeAuthorizedOperations(True)
        found = self._admin.describeTopics(wanted, options).topicNameValues()
        lacking = {name: ["DESCRIBE"] for name, _ in _refusals(found, DENIED)}
        for name, topic in _results(found, MISSING, DENIED):
            # None: the broker did not return them.
            if (rights := topic.authorizedOperations()) is not None:
                held = {str(each) for each in rights}
                lacking[name] = [right for right in required[name] if right not in held]
        for name in lacking:
            # A principal without any right on a topic may not even describe it.
            if lacking[name] == ["DESCRIBE"]:
                lacking[name] = [*required[name], "DESCRIBE"]
        refused = [
            f"the cluster does not allow it to {_joined(lacking[name])} topic {name}"
            for name in sorted(lacking)
            if lacking[name]
        ]
        if refused:
            raise RightsError("; ".join(refused))

    def ends(self, topics: Mapping[str, Topic]) -> dict[tuple[str, str], int]:
        """Return the offsets after the last committed records, by topic and partition.

        Empty if the end of a partition is not known, such as of one without a leader.
        """
        kafka: Any = self._jvm.org.apache.kafka
        wanted, latest = self._jvm.java.util.HashMap(), kafka.clients.admin.OffsetSpec.latest()
        places = [
            (name, number) for name, topic in topics.items() for number in range(topic.partitions)
        ]
        for name, partition in places:
            wanted.put(kafka.common.TopicPartition(name, partition), latest)
        committed = kafka.clients.admin.ListOffsetsOptions(
            kafka.common.IsolationLevel.READ_COMMITTED
        )
        found = self._admin.listOffsets(wanted, committed)
        offsets: dict[tuple[str, str], int] = {}
        for name, partition in places:
            try:
                result = found.partitionResult(kafka.common.TopicPartition(name, partition)).get()
            except Exception as error:
                log.debug("the end of %s-%s is not known: %s", name, partition, error)
                return {}
            offsets[name, str(partition)] = int(result.offset())
        return offsets

    def limits(self, names: Iterable[str]) -> dict[str, int]:
        """Return ``max.message.bytes`` by topic, without topics that do not exist.

        If the client may not describe a topic's config, its limit is Kafka's default.
        """
        kind = self._jvm.org.apache.kafka.common.config.ConfigResource
        wanted = self._jvm.java.util.ArrayList()
        for name in names:
            wanted.add(kind(kind.Type.TOPIC, name))
        if not wanted:
            return {}
        found = self._admin.describeConfigs(wanted).values()
        named = {resource.name(): found[resource] for resource in found}
        limits = {
            name: int(config.get(LIMIT).value())
            for name, config in _results(named, MISSING, DENIED)
        }
        for name, why in _refusals(named, DENIED):
            log.warning(
                "topic %s: %s cannot be read; using the default %s: %s",
                name, LIMIT, DEFAULT_LIMIT, why,
            )  # fmt: skip
            limits[name] = DEFAULT_LIMIT
        return limits

    def close(self) -> None:
        """Close the admin client, waiting at most 1 s."""
        self._admin.close(self._jvm.java.time.Duration.ofSeconds(1))


class TopicWatch:
    """Detects recreated topics; checks their ids every WATCH_S seconds.

    While ``reads_ends`` is set, ``ends`` are the topics' end offsets of the last check.
    """

    def __init__(self, brokers: Brokers, names: Iterable[str]) -> None:
        """Remember the current topics as the right ones, and start the checks."""
        self._brokers, self._names = brokers, list(names)
        self.topics = brokers.topics(self._names)
        self._stopped = threading.Event()
        self._seen: dict[str, Topic] = {}
        self.reads_ends = False
        self.ends: dict[tuple[str, str], int] = {}
        self._thread = threading.Thread(target=self._run, name="topics", daemon=True)
        self._thread.start()

    def renew(self) -> None:
        """Remember the current topics as the right ones."""
        self.topics = self.topics | self._brokers.topics(self._names)
        self._seen = {}

    def check(self) -> None:
        """Check now; raises RecreatedTopicError."""
        self._compare(self._brokers.topics(self._names))

    def check_seen(self) -> None:
        """Check the last response of the brokers, without a request."""
        self._compare(self._seen)

    def stop(self) -> None:
        """End the thread that checks topic ids."""
        self._stopped.set()

    def _compare(self, found: Mapping[str, Topic]) -> None:
        for name, topic in found.items():
            old = self.topics.setdefault(name, topic)
            if old.id != topic.id:
                raise RecreatedTopicError(
                    f"topic {name} was deleted and created again (id {old.id} before, {topic.id} "
                    "now)"
                )

    def _run(self) -> None:
        while not self._stopped.wait(WATCH_S):
            try:
                self._seen = self._brokers.topics(self._names)
                self.ends = self._brokers.ends(self._seen) if self.reads_ends else {}
            except Exception as error:
                # Brokers may be down; queries that read from them report it.
                self.ends = {}
                log.debug("topics cannot be described: %s", error)


def settings(site: Site, tuning: Mapping[str, str]) -> dict[str, str]:
    """Return client options by Kafka's names; the site's options override ``tuning``."""
    return {**tuning, **site.kafka_options, "bootstrap.servers": ",".join(site.bootstrap)}


def count_partitions(spark: SparkSession, declaration: Declaration) -> int:
    """Return the current number of partitions of all source topics."""
    brokers = Brokers(spark, declaration.site)
    try:
        return sum(each.partitions for each in brokers.topics(declaration.source.topics).values())
    finally:
        brokers.close()


def written_topics(declaration: Declaration) -> list[str]:
    """Return the topics that a pipeline writes to."""
    found = [each.topic for each in declaration.outputs if each.topic]
    return list(dict.fromkeys([*found, *([declaration.invalid] if declaration.invalid else [])]))


def read_limits(spark: SparkSession, site: Site, topics: Iterable[str]) -> dict[str, int]:
    """Return ``max.message.bytes`` by topic through a connection of its own."""
    brokers = Brokers(spark, site)
    try:
        return brokers.limits(topics)
    finally:
        brokers.close()


def require_rights(
    spark: SparkSession, site: Site, required: Mapping[str, Collection[str]]
) -> None:
    """Check rights by topic through a connection of its own; raises RightsError."""
    brokers = Brokers(spark, site)
    try:
        brokers.require_rights(required)
    finally:
        brokers.close()


def _joined(rights: Sequence[str]) -> str:
    """Return names of rights in a sentence."""
    *first, last = (each.lower() for each in rights)
    return f"{', '.join(first)} and {last}" if first else last


def _results(futures: Any, *ignored_errors: str) -> Iterator[tuple[str, Any]]:
    for name in futures:
        try:
            yield str(name), futures[name].get()
        except Exception as error:
            if not any(name in str(error) for name in ignored_errors):
                raise


def _refusals(futures: Any, error_name: str) -> Iterator[tuple[str, str]]:
    for name in futures:
        try:
            futures[name].get()
        except Exception as error:
            if error_name in str(error):
                yield str(name), error_name
