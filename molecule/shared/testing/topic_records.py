"""Records of a topic: those that are committed, up to its end, and new ones."""

import time
from collections.abc import Iterable, Iterator, Sequence

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
)

from testing import access


def reader(bootstrap: str) -> Consumer:
    """Return a consumer that belongs to no group and reports the end of each partition."""
    return Consumer(
        {
            **access.librdkafka(),
            "bootstrap.servers": bootstrap,
            "group.id": "drill",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            # Without messages about brokers that a drill has just stopped.
            "log_level": 0,
        }
    )


def partitions(consumer: Consumer, topic: str) -> list[int]:
    """Return the numbers of the partitions of a topic."""
    return sorted(consumer.list_topics(topic, 30).topics[topic].partitions)


def ends(bootstrap: str, topic: str) -> list[TopicPartition]:
    """Return each partition of a topic with its current end offset."""
    with reader(bootstrap) as consumer:
        parts = [TopicPartition(topic, number) for number in partitions(consumer, topic)]
        return [
            TopicPartition(topic, part.partition, consumer.get_watermark_offsets(part, 30)[1])
            for part in parts
        ]


def records(
    bootstrap: str, topic: str, since: Sequence[TopicPartition] = (), seconds: float = 120
) -> Iterator[Message]:
    """Yield the records of a topic up to its end, all or from ``since`` on.

    Fails if a partition is not read to its end within ``seconds``. Other errors than the end of a
    partition are passed over: a broker may just start again.
    """
    deadline = time.monotonic() + seconds
    with reader(bootstrap) as consumer:
        parts = list(since) or [
            TopicPartition(topic, number, OFFSET_BEGINNING)
            for number in partitions(consumer, topic)
        ]
        consumer.assign(parts)
        unread = {part.partition for part in parts}
        while unread:
            assert time.monotonic() < deadline, f"not read to the end: partitions {unread}"
            for record in consumer.consume(10_000, timeout=1):
                if record.error() is None:
                    yield record
                elif record.error().code() == KafkaError._PARTITION_EOF:
                    unread.discard(record.partition())


def send(bootstrap: str, topic: str, values: Iterable[bytes | str]) -> None:
    """Write records to the first partition, in order; return once all are acknowledged."""
    producer = Producer({"bootstrap.servers": bootstrap, **access.librdkafka()})
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(60) == 0
