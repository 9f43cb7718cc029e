"""What a driver asks the brokers about topics: which ones they are, and how large a record may be.

Spark knows topics by name alone. A topic that was deleted and created again has another id.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.model import Declaration, Site
from pyspark.sql import SparkSession

from kafka_metal_pipeline.recreated import RecreatedTopicError

log = logging.getLogger(__name__)

LIMIT = "max.message.bytes"
# Kafka's default of LIMIT, in bytes: used where the cluster does not allow the question.
DEFAULT_LIMIT = 1_048_588
MISSING, DENIED = "UnknownTopicOrPartitionException", "AuthorizationException"
# A driver waits this long for an answer. The brokers may be away while it runs.
TIMEOUT_MS = {"default.api.timeout.ms": "20000", "request.timeout.ms": "10000"}


# A topic that was created again is noticed after so long, in seconds.
WATCH_S = 10.0


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the cluster has it now."""

    id: str
    partitions: int


class Brokers:
    """The cluster's metadata, by the JVM's client. May be used from several threads."""

    def __init__(self, spark: SparkSession, site: Site) -> None:
        """Connect; ``close`` ends it."""
        self._jvm: Any = spark._jvm
        options = self._jvm.java.util.Properties()
        for name, value in (TIMEOUT_MS | settings(site, {})).items():
            options.setProperty(name, value)
        self._admin: Any = self._jvm.org.apache.kafka.clients.admin.AdminClient.create(options)

    def topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """The topics by name; one that does not exist is left out.

        Raises Py4JJavaError when the cluster does not answer, or not this client.
        """
        wanted = self._jvm.java.util.ArrayList()
        for name in names:
            wanted.add(name)
        if not wanted:
            return {}
        found = self._admin.describeTopics(wanted).topicNameValues()
        return {
            name: Topic(str(topic.topicId()), topic.partitions().size())
            for name, topic in _answers(found, MISSING)
        }

    def limits(self, names: Iterable[str]) -> dict[str, int]:
        """Bytes that a batch of records of each topic may have, ``max.message.bytes``.

        One that does not exist is left out. Where the question is denied it is Kafka's default.
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
            for name, config in _answers(named, MISSING, DENIED)
        }
        for name, why in _refusals(named, DENIED):
            log.warning(
                "topic %s: %s cannot be read and is taken as %s: %s",
                name, LIMIT, DEFAULT_LIMIT, why,
            )  # fmt: skip
            limits[name] = DEFAULT_LIMIT
        return limits

    def close(self) -> None:
        """End the connection."""
        self._admin.close(self._jvm.java.time.Duration.ofSeconds(1))


class TopicWatch:
    """Whether topics are still those whose offsets are used; asked again every few seconds."""

    def __init__(self, brokers: Brokers, names: Iterable[str]) -> None:
        """The topics as they are now count as the right ones."""
        self._brokers, self._names = brokers, list(names)
        self.topics = brokers.topics(self._names)
        self._stopped = threading.Event()
        self._seen: dict[str, Topic] = {}
        self._thread = threading.Thread(target=self._run, name="topics", daemon=True)
        self._thread.start()

    def renew(self) -> None:
        """The topics as they are now are the right ones."""
        self.topics = self.topics | self._brokers.topics(self._names)
        self._seen = {}

    def check(self) -> None:
        """Ask now; raises RecreatedTopicError."""
        self._compare(self._brokers.topics(self._names))

    def check_seen(self) -> None:
        """As ``check``, by the last answer of the brokers: does not wait for them."""
        self._compare(self._seen)

    def stop(self) -> None:
        """Ask no more."""
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
            except Exception as error:
                # The brokers may be away; what reads from them says so.
                log.debug("topics cannot be asked for: %s", error)


def settings(site: Site, tuning: Mapping[str, str]) -> dict[str, str]:
    """Options of a client as Kafka names them; those of the site win over ``tuning``."""
    own = {name.removeprefix("kafka."): value for name, value in site.kafka_options.items()}
    return {**tuning, **own, "bootstrap.servers": ",".join(site.bootstrap)}


def partitions(spark: SparkSession, declaration: Declaration) -> int:
    """Partitions of the source's topics, as the cluster has them now."""
    brokers = Brokers(spark, declaration.site)
    try:
        return sum(each.partitions for each in brokers.topics(declaration.source.topics).values())
    finally:
        brokers.close()


def written(declaration: Declaration) -> list[str]:
    """Topics that a pipeline writes rows to."""
    found = [each.topic for each in declaration.outputs if each.topic]
    return list(dict.fromkeys([*found, *([declaration.invalid] if declaration.invalid else [])]))


def limits_of(spark: SparkSession, site: Site, topics: Iterable[str]) -> dict[str, int]:
    """``max.message.bytes`` by topic, asked once: see ``Brokers.limits``."""
    brokers = Brokers(spark, site)
    try:
        return brokers.limits(topics)
    finally:
        brokers.close()


def _answers(futures: Any, *passed_over: str) -> Iterator[tuple[str, Any]]:
    for name in futures:
        try:
            yield str(name), futures[name].get()
        except Exception as error:
            if not any(words in str(error) for words in passed_over):
                raise


def _refusals(futures: Any, words: str) -> Iterator[tuple[str, str]]:
    for name in futures:
        try:
            futures[name].get()
        except Exception as error:
            if words in str(error):
                yield str(name), words
