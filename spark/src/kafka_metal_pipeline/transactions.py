"""A topic that gets every row exactly once: one Kafka transaction per batch, with the batch's mark.

The mark lies in a compacted topic, under pipeline, output and checkpoint, and is part of the
transaction: readers with ``isolation.level=read_committed`` see rows and mark together or neither.
The rows pass through the driver, as one producer has to write a transaction.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kafka_metal_pipeline.marks import Mark

TIMEOUT_S = 60.0
# A commit whose outcome is not known yet is asked for again; librdkafka waits within each try.
COMMIT_TRIES = 5


class Producer(Protocol):
    """What is used of confluent_kafka.Producer."""

    def init_transactions(self, timeout: float) -> None:
        """Fence off an older producer of the same id and end what it left open."""

    def begin_transaction(self) -> None:
        """Start a transaction."""

    def produce(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        *,
        headers: Any = None,
    ) -> None:
        """Queue a record. Raises BufferError when the queue is full."""

    def poll(self, timeout: float) -> int:
        """Let the queue drain."""

    def commit_transaction(self, timeout: float) -> None:
        """Flush and commit."""

    def abort_transaction(self, timeout: float) -> None:
        """Abort."""


# Reads the records of the topic of marks, keys and values, in their order.
ReadMarks = Callable[[], Iterable[tuple[str, str]]]


@dataclass
class TransactionalTopic:
    """A topic, and the marks of what is in it.

    ``owner`` is pipeline and output: the first part of the mark's key, and of the transactional id,
    so that a driver that is taken for dead can write no more once its successor has started.
    """

    topic: str
    marks: str
    owner: str
    connect: Callable[[str], Producer]
    read_marks: ReadMarks
    _producer: Producer | None = None

    def mark(self) -> Mark | None:
        """The newest mark. Fences first: an older driver may be about to commit another."""
        self._producer = self.connect(transactional_id(self.owner))
        self._producer.init_transactions(TIMEOUT_S)
        return newest(self.read_marks(), self.owner)

    def write(self, rows: Any, mark: Mark) -> None:
        """Write a batch and its mark in one transaction."""
        producer = self._producer
        if producer is None:
            raise RuntimeError(f"{self.owner}: rows come before the mark was read")
        producer.begin_transaction()
        try:
            for row in rows.toLocalIterator(prefetchPartitions=True):
                _send(producer, self.topic, row)
            key = f"{self.owner}/{mark.checkpoint}"
            _produce(producer, self.marks, mark.to_text().encode(), key.encode(), [])
            _commit(producer)
        except BaseException as error:
            # Fenced off, there is nothing left to abort.
            if not _is(error, "fatal"):
                producer.abort_transaction(TIMEOUT_S)
            raise


def transactional_id(owner: str) -> str:
    """Id of an owner's producer: brokers keep no ACL of a name with a slash, no name has a dot."""
    return f"kafka-metal-{owner.replace('/', '.')}"


def newest(records: Iterable[tuple[str, str]], owner: str) -> Mark | None:
    """The mark an owner wrote last, whatever its checkpoint."""
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
    # A row that is too large for the topic says another one.
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
            # Nobody has made room for so long: the brokers are away.
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
    """Whether librdkafka calls an error ``fatal`` or ``retriable``."""
    found = error.args[0] if error.args else None
    tell = getattr(found, what, None)
    return bool(tell()) if callable(tell) else False


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else bytes(value)


def producer_options(client: Mapping[str, str], transactional_id: str) -> dict[str, str]:
    """Options of a transactional producer from those of a client of librdkafka."""
    return {
        "compression.type": "lz4",
        "linger.ms": "50",
        # What waits to be sent is in the driver's memory, beside its heap.
        "queue.buffering.max.kbytes": "65536",
        "transaction.timeout.ms": "300000",
        **client,
        "transactional.id": transactional_id,
        "enable.idempotence": "true",
        "acks": "all",
    }
