"""What the brokers say of the cluster."""

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
    """One partition of the cluster's metadata; a leader of -1 is none."""

    name: str
    leader: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


class Brokers:
    """Read-only view of a cluster through its client endpoints."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._shown: dict[str, str] | None = None

    def _client(self) -> AdminClient:
        """A client of who the operator is by now: a rotation gives it another password and CA."""
        if (shown := access.written()) != self._shown:
            self._shown = shown
            # Its messages about brokers that a test has just killed are no news.
            self._admin = AdminClient(
                {"bootstrap.servers": self._bootstrap, "log_level": 0, **access.librdkafka()}
            )
        return self._admin

    def _metadata(self) -> Any:
        try:
            return self._client().list_topics(timeout=ANSWER_SECONDS)
        except KafkaException as error:
            raise NotYet(f"no broker answered: {error.args[0].str()}") from error

    def registered(self) -> set[int]:
        """Ids of the brokers that the cluster knows."""
        return set(self._metadata().brokers)

    def controller(self) -> int:
        """Id of the controller; -1 while there is none."""
        return int(self._metadata().controller_id)

    def partitions(self) -> Iterator[Partition]:
        """All partitions, internal topics among them."""
        for topic, what in self._metadata().topics.items():
            for number, part in what.partitions.items():
                yield Partition(
                    f"{topic}-{number}", part.leader, tuple(part.replicas), tuple(part.isrs)
                )

    def under_replicated(self) -> list[str]:
        """Partitions that lack a replica in sync, or a leader."""
        return [
            part.name
            for part in self.partitions()
            if part.leader < 0 or set(part.replicas) - set(part.in_sync)
        ]

    def leader_of(self, partition: str) -> int:
        """Broker that leads ``topic-number``; NotYet while none does."""
        for part in self.partitions():
            if part.name == partition and part.leader >= 0:
                return part.leader
        raise NotYet(f"{partition} has no leader")

    def log_dirs(self) -> dict[int, dict[str, int]]:
        """Error code of each log dir by broker and path; 0 is online."""
        with access.admin(self._bootstrap) as admin:
            answers = admin.describe_log_dirs()
        return {
            answer["broker"]: {one["log_dir"]: one["error_code"] for one in answer["log_dirs"]}
            for answer in answers
        }

    def end(self, topic: str) -> int:
        """Records ever written to a topic: the sum of its partitions' ends."""
        ends = 0
        for part in self._metadata().topics[topic].partitions:
            place = {TopicPartition(topic, part): OffsetSpec.latest()}
            for answer in self._client().list_offsets(place).values():
                ends += answer.result(ANSWER_SECONDS).offset
        return ends
