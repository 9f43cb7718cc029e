"""The probe: produce to and consume from a partition on every broker, as an external client."""

import struct
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

# Records per second to each partition.
RATE = 10
# Seconds, dense around the latency of a healthy cluster and around the objective of 1 s.
BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PAYLOAD = struct.Struct("!Qd")
# Label of the partition until the partitions are known.
UNKNOWN = "unknown"

PRODUCER = {
    "acks": "all",
    "linger.ms": 0,
    "delivery.timeout.ms": 30000,
    "request.timeout.ms": 10000,
    # Reconnect soon to a broker that restarted.
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
    """Return the value of a record: the run of the probe, and the time of sending."""
    return PAYLOAD.pack(run, sent)


def sent_at(value: bytes | None, run: int) -> float | None:
    """Return when a record of this run was sent; None for records of other runs or clients."""
    if value is None or len(value) != PAYLOAD.size:
        return None
    owner, sent = PAYLOAD.unpack(value)
    return float(sent) if owner == run else None


def placement(brokers: Sequence[int], copies: int) -> list[list[int]]:
    """Return the replicas of each partition: each broker is the preferred leader of one."""
    ring = sorted(brokers)
    count = min(copies, len(ring))
    return [
        [ring[(first + step) % len(ring)] for step in range(count)] for first in range(len(ring))
    ]


def next_round(now: float, due: float, interval: float) -> float:
    """Return when the next round is due; rounds missed during a delay are skipped."""
    following = due + interval
    return following if following > now else now + interval


class ProbeMetrics:
    """Metrics of the probe's records by partition."""

    def __init__(self, registry: CollectorRegistry, now: float) -> None:
        """Start the times at ``now``, also for a cluster that never responds."""
        options: dict[str, Any] = {"labelnames": ["partition"], "registry": registry}
        self.sent = Counter("kafka_metal_probe_sent", "Records passed to the producer", **options)
        self.failed = Counter(
            "kafka_metal_probe_failed", "Records that the producer failed to write", **options
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
            "Time from passing a record to the producer to its acknowledgement",
            buckets=BUCKETS,
            **options,
        )
        self.end_to_end = Histogram(
            "kafka_metal_probe_end_to_end_seconds",
            "Time from passing a record to the producer to its receipt by the consumer",
            buckets=BUCKETS,
            **options,
        )
        for gauge in (self.acknowledged, self.received):
            gauge.labels(UNKNOWN).set(now)

    def begin(self, partitions: Sequence[int], now: float) -> None:
        """Start the times of these partitions at ``now``."""
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
        """Count an acknowledged record."""
        self.acknowledged.labels(partition).set(now)
        self.acknowledgement.labels(partition).observe(max(0.0, now - sent))

    def was_received(self, partition: int, sent: float, now: float) -> None:
        """Count a received record."""
        self.received.labels(partition).set(now)
        self.end_to_end.labels(partition).observe(max(0.0, now - sent))


class Probe:
    """Produce and consume until ``end`` is called."""

    def __init__(
        self,
        options: Mapping[str, Any],
        topic: str,
        partitions: Sequence[int],
        metrics: ProbeMetrics,
    ) -> None:
        """Create the clients with ``options`` of librdkafka."""
        self._producer = Producer({**PRODUCER, **options})
        self._consumer = Consumer({**CONSUMER, **options})
        self._consumer.assign([TopicPartition(topic, each, -1) for each in partitions])
        self._topic, self._partitions, self._metrics = topic, partitions, metrics
        self._run = time.time_ns()
        self._ended = threading.Event()

    def send(self) -> None:
        """Produce ten records a second to each partition."""
        due = time.monotonic()
        while not self._ended.is_set():
            for partition in self._partitions:
                self._send_to(partition)
            due = next_round(time.monotonic(), due, 1 / RATE)
            self._producer.poll(max(0.0, due - time.monotonic()))
            self._ended.wait(max(0.0, due - time.monotonic()))
        self._producer.flush(5)

    def _send_to(self, partition: int) -> None:
        sent = time.time()

        def delivered(error: KafkaError | None, _: Message) -> None:
            if error is None:
                self._metrics.was_acknowledged(partition, sent, time.time())
            else:
                self._metrics.failed.labels(partition).inc()

        self._metrics.sent.labels(partition).inc()
        try:
            self._producer.produce(
                self._topic, payload(self._run, sent), partition=partition, on_delivery=delivered
            )
        except (BufferError, KafkaException):
            self._metrics.failed.labels(partition).inc()

    def receive(self) -> None:
        """Consume the records of this run."""
        while not self._ended.is_set():
            message = self._consumer.poll(0.5)
            if message is None or message.error() is not None:
                continue
            sent = sent_at(message.value(), self._run)
            if sent is not None:
                self._metrics.was_received(message.partition(), sent, time.time())
        self._consumer.close()

    def end(self) -> None:
        """Stop producing and consuming."""
        self._ended.set()


def ensure_topic(options: Mapping[str, Any], topic: str) -> list[int]:
    """Create the probe's topic if it is missing; return its partitions."""
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
