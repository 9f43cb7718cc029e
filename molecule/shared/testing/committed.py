"""Committed records of topics that a transactional producer writes."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, TopicPartition

from testing import access


def _reader(bootstrap: str) -> Consumer:
    return Consumer(
        {
            **access.librdkafka(),
            "bootstrap.servers": bootstrap,
            "group.id": "test-committed",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )


def _beginnings(consumer: Consumer, topic: str) -> list[TopicPartition]:
    partitions = consumer.list_topics(topic, 30).topics[topic].partitions
    return [TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions]


def ends(bootstrap: str, topic: str) -> list[TopicPartition]:
    """Return each partition of a topic with its current end offset."""
    with closing(_reader(bootstrap)) as consumer:
        return [
            TopicPartition(topic, part.partition, consumer.get_watermark_offsets(part, 30)[1])
            for part in _beginnings(consumer, topic)
        ]


def records(bootstrap: str, topic: str, since: Sequence[TopicPartition] = ()) -> Iterator[Message]:
    """Yield the committed records of a topic up to its end, all or from ``since`` on."""
    with closing(_reader(bootstrap)) as consumer:
        parts = list(since) or _beginnings(consumer, topic)
        consumer.assign(parts)
        left = {part.partition for part in parts}
        while left:
            for record in consumer.consume(10_000, timeout=10):
                if record.error() is None:
                    yield record
                else:
                    left.discard(record.partition())
