"""Exactly-once delivery to a topic: one Kafka transaction per batch, which includes its mark.

The mark is in a compacted topic; its key is pipeline, output and checkpoint. Readers with
``isolation.level=read_committed`` see both rows and mark, or neither. All rows pass through the
driver, because a transaction has a single producer.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kafka_metal_pipeline.marks import Mark

TIMEOUT_S = 60.0
# A commit with an unknown result is retried; librdkafka waits within each attempt.
COMMIT_TRIES = 5


class Producer(Protocol):
    """The methods used of confluent_kafka.Producer."""

    def init_transactions(self, timeout: float) -> None:
        """Fence off older producers of the same id and abort their transactions."""

    def begin_transaction(self) -> None:
        """Begin a transaction; there must not be an open one."""

    def produce(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        *,
        headers: Any = None,
    ) -> None:
        """Queue a record; BufferError if the queue is full."""

    def poll(self, timeout: float) -> int:
        """Process delivery reports, which frees space in the queue."""

    def commit_transaction(self, timeout: float) -> None:
        """Flush and commit."""

    def abort_transaction(self, timeout: float) -> None:
        """Abort the open transaction; consumers skip its records."""


# Returns keys and values of the topic of marks, in order.
ReadMarks = Callable[[], Iterable[tuple[str, str]]]


@dataclass
class TransactionalTopic:
    """A topic that is written in transactions, with marks.

    ``owner`` is pipeline and output: the prefix of the mark's key, and part of the transactional
    id. So a driver that was believed dead is fenced off once its successor has started.
    """

    topic: str
    marks: str
    owner: str
    connect: Callable[[str], Producer]
    read_marks: ReadMarks
    _producer: Producer | None = None

    def mark(self) -> Mark | None:
        """Return the newest mark, after fencing off older drivers, which could commit another."""
        self._producer = self.connect(transactional_id(self.owner))
        self._producer.init_transactions(TIMEOUT_S)
        return newest(self.read_marks(), self.owner)

    def write(self, rows: Any, mark: Mark) -> None:
        """Write a batch and its mark in one transaction."""
        producer = self._producer
        if producer is None:
            raise RuntimeError(f"{self.owner}: rows were written before the mark was read")
        producer.begin_transaction()
        try:
            for row in rows.toLocalIterator(prefetchPartitions=True):
                _send(producer, self.topic, row)
            key = f"{self.owner}/{mark.checkpoint}"
            _produce(producer, self.marks, mark.to_text().encode(), key.encode(), [])
            _commit(producer)
        except BaseException as error:
            # A fenced producer has no transaction to abort.
            if not _is(error, "fatal"):
                producer.abort_transaction(TIMEOUT_S)
            raise


def transactional_id(owner: str) -> str:
    """Return an owner's transactional id; a dot, as a slash is not possible in ACLs."""
    return f"kafka-metal-{owner.replace('/', '.')}"


def newest(records: Iterable[tuple[str, str]], owner: str) -> Mark | None:
    """Return the mark that an owner wrote last, of any checkpoint."""
    last = None
    for key, value in records:
        if key.rpartition("/")[0] == owner and value:
            last = Mark.from_text(value)
    return last


def _send(producer: Producer, topic: str, row: Any) -> None:
    fields = row.asDict()
    headers = [
        (each["key"], None if each["value"] is None else bytes(each["value"]))
        for each in fields.get("headers") or ()
    ]
    # A row that is too large for the topic has the invalid topic in its column.
    own = fields.get("topic", topic)
    _produce(producer, own, _bytes(fields["value"]), _bytes(fields["key"]), headers)


def _produce(
    producer: Producer,
    topic: str,
    value: bytes | None,
    key: bytes | None,
    headers: list[tuple[str, bytes | None]],
) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            producer.produce(topic, value, key, headers=headers)
        except BufferError:
            # No space for TIMEOUT_S: the brokers are down.
            if time.monotonic() > deadline:
                raise
            producer.poll(1.0)
        else:
            producer.poll(0)
            return


def _commit(producer: Producer) -> None:
    for left in reversed(range(COMMIT_TRIES)):
        try:
            producer.commit_transaction(TIMEOUT_S)
        except Exception as error:
            if not left or not _is(error, "retriable"):
                raise
        else:
            return


def _is(error: BaseException, what: str) -> bool:
    """Whether librdkafka classifies an error as ``fatal`` or ``retriable``."""
    found = error.args[0] if error.args else None
    check = getattr(found, what, None)
    return bool(check()) if callable(check) else False


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else bytes(value)


def producer_options(client: Mapping[str, str], transactional_id: str) -> dict[str, str]:
    """Return options of a transactional producer, based on ``client``."""
    return {
        "compression.type": "lz4",
        "linger.ms": "50",
        # The queue uses the driver's memory in addition to its heap.
        "queue.buffering.max.kbytes": "65536",
        "transaction.timeout.ms": "300000",
        **client,
        "transactional.id": transactional_id,
        "enable.idempotence": "true",
        "acks": "all",
    }
