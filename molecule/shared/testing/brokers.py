"""The cluster's metadata, as its brokers return it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from testing import access
from testing.waiting import NotYet

ANSWER_SECONDS = 5


@dataclass(frozen=True)
class Partition:
    """One partition of the cluster's metadata; the leader is -1 if there is none."""

    name: str
    leader: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


class Brokers:
    """Read-only view of a cluster through its bootstrap servers."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._files: dict[str, str] | None = None

    def _client(self) -> AdminClient:
        """Return the operator's client, a new one after a rotation of passwords or the CA."""
        if (files := access.written()) != self._files:
            self._files = files
            # Without its messages about brokers that a test has just killed.
            self._admin = AdminClient(
                {"bootstrap.servers": self._bootstrap, "log_level": 0, **access.librdkafka()}
            )
        return self._admin

    def _metadata(self) -> Any:
        try:
            return self._client().list_topics(timeout=ANSWER_SECONDS)
        except KafkaException as error:
            raise NotYet(f"no broker responded: {error.args[0].str()}") from error

    def registered(self) -> set[int]:
        """Return the ids of the registered brokers."""
        return set(self._metadata().brokers)

    def controller(self) -> int:
        """Return the id of the controller; -1 while there is none."""
        return int(self._metadata().controller_id)

    def partitions(self) -> Iterator[Partition]:
        """Yield all partitions, also of internal topics."""
        for topic, metadata in self._metadata().topics.items():
            for number, part in metadata.partitions.items():
                yield Partition(
                    f"{topic}-{number}", part.leader, tuple(part.replicas), tuple(part.isrs)
                )

    def under_replicated(self) -> list[str]:
        """Return the names of partitions without a leader or with a replica out of sync."""
        return [
            part.name
            for part in self.partitions()
            if part.leader < 0 or set(part.replicas) - set(part.in_sync)
        ]

    def leader_of(self, partition: str) -> int:
        """Return the leader of ``topic-number``; NotYet while there is none."""
        for part in self.partitions():
            if part.name == partition and part.leader >= 0:
                return part.leader
        raise NotYet(f"{partition} has no leader")

    def log_dirs(self) -> dict[int, dict[str, int]]:
        """Return the error code of each log dir by broker and path; 0 is online."""
        with access.admin(self._bootstrap) as admin:
            answers = admin.describe_log_dirs()
        return {
            answer["broker"]: {one["log_dir"]: one["error_code"] for one in answer["log_dirs"]}
            for answer in answers
        }

    def end(self, topic: str) -> int:
        """Return the sum of the end offsets of a topic's partitions."""
        ends = 0
        for part in self._metadata().topics[topic].partitions:
            place = {TopicPartition(topic, part): OffsetSpec.latest()}
            for answer in self._client().list_offsets(place).values():
                ends += answer.result(ANSWER_SECONDS).offset
        return ends
