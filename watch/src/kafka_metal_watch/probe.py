"""Writes and reads as a client from outside does, on a partition of every broker."""

import struct
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

RATE = 10
# Seconds; around what a healthy cluster needs, and around what is promised.
BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PAYLOAD = struct.Struct("!Qd")
# Stands for all partitions while nobody has said which there are.
UNKNOWN = "unknown"

PRODUCER = {
    "acks": "all",
    "linger.ms": 0,
    "delivery.timeout.ms": 30000,
    "request.timeout.ms": 10000,
    # A broker that comes back is looked for at once.
    "reconnect.backoff.max.ms": 1000,
    "topic.metadata.refresh.interval.ms": 5000,
}
CONSUMER = {
    "group.id": "kafka-metal-probe",
    "enable.auto.commit": False,
    "auto.offset.reset": "latest",
    "fetch.wait.max.ms": 50,
    "reconnect.backoff.max.ms": 1000,
}


def payload(run: int, sent: float) -> bytes:
    """A record: which run of the probe sent it, and when."""
    return PAYLOAD.pack(run, sent)


def sent_at(value: bytes | None, run: int) -> float | None:
    """When a record of this run was sent; None for anybody else's."""
    if value is None or len(value) != PAYLOAD.size:
        return None
    owner, sent = PAYLOAD.unpack(value)
    return float(sent) if owner == run else None


def placement(brokers: Sequence[int], copies: int) -> list[list[int]]:
    """Replicas of each partition: every broker leads one, the next ones follow."""
    ring = sorted(brokers)
    count = min(copies, len(ring))
    return [
        [ring[(first + step) % len(ring)] for step in range(count)] for first in range(len(ring))
    ]


def missed(now: float, due: float, interval: float) -> float:
    """When the next round is due: a probe that was held up does not send everything at once."""
    following = due + interval
    return following if following > now else now + interval


class Score:
    """What became of the records, by partition."""

    def __init__(self, registry: CollectorRegistry, now: float) -> None:
        """A cluster that does not answer at all is silent since ``now``, too."""
        options: dict[str, Any] = {"labelnames": ["partition"], "registry": registry}
        self.sent = Counter("kafka_metal_probe_sent", "Records handed to the client", **options)
        self.failed = Counter(
            "kafka_metal_probe_failed", "Records that the client gave up", **options
        )
        self.acknowledged = Gauge(
            "kafka_metal_probe_acknowledged_time_seconds",
            "When a record was last acknowledged",
            **options,
        )
        self.received = Gauge(
            "kafka_metal_probe_received_time_seconds", "When a record was last received", **options
        )
        self.acknowledgement = Histogram(
            "kafka_metal_probe_acknowledgement_seconds",
            "From handing a record over to its acknowledgement",
            buckets=BUCKETS,
            **options,
        )
        self.end_to_end = Histogram(
            "kafka_metal_probe_end_to_end_seconds",
            "From handing a record over to receiving it",
            buckets=BUCKETS,
            **options,
        )
        for gauge in (self.acknowledged, self.received):
            gauge.labels(UNKNOWN).set(now)

    def begin(self, partitions: Sequence[int], now: float) -> None:
        """From ``now`` on a partition that stays silent counts as silent."""
        for gauge in (self.acknowledged, self.received):
            gauge.remove(UNKNOWN)
            for partition in partitions:
                gauge.labels(partition).set(now)
        for partition in partitions:
            self.sent.labels(partition)
            self.failed.labels(partition)
            self.acknowledgement.labels(partition)
            self.end_to_end.labels(partition)

    def was_acknowledged(self, partition: int, sent: float, now: float) -> None:
        """A record was taken."""
        self.acknowledged.labels(partition).set(now)
        self.acknowledgement.labels(partition).observe(max(0.0, now - sent))

    def was_received(self, partition: int, sent: float, now: float) -> None:
        """A record came back."""
        self.received.labels(partition).set(now)
        self.end_to_end.labels(partition).observe(max(0.0, now - sent))


class Probe:
    """Sends and receives until it is told to end."""

    def __init__(
        self, options: Mapping[str, Any], topic: str, partitions: Sequence[int], score: Score
    ) -> None:
        """``options`` are librdkafka's."""
        self._producer = Producer({**PRODUCER, **options})
        self._consumer = Consumer({**CONSUMER, **options})
        self._consumer.assign([TopicPartition(topic, each, -1) for each in partitions])
        self._topic, self._partitions, self._score = topic, partitions, score
        self._run = time.time_ns()
        self._ended = threading.Event()

    def send(self) -> None:
        """Ten records a second to each partition."""
        due = time.monotonic()
        while not self._ended.is_set():
            for partition in self._partitions:
                self._one(partition)
            due = missed(time.monotonic(), due, 1 / RATE)
            self._producer.poll(max(0.0, due - time.monotonic()))
            self._ended.wait(max(0.0, due - time.monotonic()))
        self._producer.flush(5)

    def _one(self, partition: int) -> None:
        sent = time.time()

        def told(error: KafkaError | None, _: Message) -> None:
            if error is None:
                self._score.was_acknowledged(partition, sent, time.time())
            else:
                self._score.failed.labels(partition).inc()

        self._score.sent.labels(partition).inc()
        try:
            self._producer.produce(
                self._topic, payload(self._run, sent), partition=partition, on_delivery=told
            )
        except (BufferError, KafkaException):
            self._score.failed.labels(partition).inc()

    def receive(self) -> None:
        """Whatever comes back."""
        while not self._ended.is_set():
            message = self._consumer.poll(0.5)
            if message is None or message.error() is not None:
                continue
            sent = sent_at(message.value(), self._run)
            if sent is not None:
                self._score.was_received(message.partition(), sent, time.time())
        self._consumer.close()

    def end(self) -> None:
        """Both stop."""
        self._ended.set()


def topic_of(options: Mapping[str, Any], topic: str) -> list[int]:
    """Partitions of the probe's topic, which is made when it is missing."""
    admin = AdminClient(dict(options))
    known = admin.list_topics(timeout=30)
    if topic not in known.topics:
        brokers = list(known.brokers)
        wanted = NewTopic(
            topic,
            num_partitions=len(brokers),
            replica_assignment=placement(brokers, 3),
            config={
                "retention.ms": "600000",
                "segment.ms": "600000",
                "min.insync.replicas": str(min(2, len(brokers))),
            },
        )
        admin.create_topics([wanted], request_timeout=30)[topic].result()
        return list(range(len(brokers)))
    return sorted(known.topics[topic].partitions)
