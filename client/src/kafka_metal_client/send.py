"""Send payments and write down what became of each."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from kafka_metal_client import brokers
from kafka_metal_client.errors import ClientError
from kafka_metal_client.ledger import Failure, Ledger, Partition, checksum
from kafka_metal_client.pacing import AckGaps, Pacer
from kafka_metal_client.payments import Payment, iso_time
from kafka_metal_client.progress import Progress

# Headers by which a record of a run is found again in the log, whatever its value.
RUN_HEADER = "kafka-metal.run"
SEQUENCE_HEADER = "kafka-metal.sequence"
# How often a full queue or a wait for the last acknowledgements looks up.
POLL_SECONDS = 0.1


class Stop(Protocol):
    """Asked before each record; true after a signal."""

    def __call__(self) -> bool:
        """Whether to stop sending."""


@dataclass
class _Unlocated:
    """An acknowledged record whose offset the client was not told."""

    payment: Payment
    partition: int
    seconds: float


class Sender:
    """Hands payments to a producer and keeps the ledger; one instance per run."""

    def __init__(self, producer: Any, ledger: Ledger, progress: Progress) -> None:
        """``producer`` is a confluent_kafka Producer, or something with its three methods."""
        self._producer = producer
        self.ledger = ledger
        self._progress = progress
        self._gaps = AckGaps()
        self._started = time.monotonic()
        self.unlocated: list[_Unlocated] = []
        self._answered = 0

    def send(self, payments: Iterable[Payment], pacer: Pacer, stopped: Stop) -> None:
        """Send all of them, then wait until each is acknowledged or given up."""
        self._started = time.monotonic()
        self.ledger.started = iso_time(datetime.now(UTC))
        for payment in payments:
            self._wait_until_due(pacer)
            if stopped() or not self._produce(payment):
                break
            self._progress.show(self._describe)
        while self._gaps.in_flight:
            self._producer.poll(POLL_SECONDS)
            self._progress.show(self._describe)
        self._progress.close()
        self.ledger.longest_gap = self._gaps.longest
        self.ledger.ended = iso_time(datetime.now(UTC))

    def _wait_until_due(self, pacer: Pacer) -> None:
        self._producer.poll(0)
        while (delay := pacer.delay(time.monotonic())) > 0:
            self._producer.poll(delay)

    def _produce(self, payment: Payment) -> bool:
        """Queue one record; False when the producer can take no more at all."""
        from confluent_kafka import KafkaException

        sent = time.monotonic()
        while True:
            try:
                self._producer.produce(
                    self.ledger.topic,
                    key=payment.key,
                    value=payment.value,
                    headers=self._headers(payment),
                    on_delivery=lambda error, message: self._answer(payment, sent, error, message),
                )
            except BufferError:
                self._producer.poll(POLL_SECONDS)
                self._progress.show(self._describe)
                continue
            except KafkaException as error:
                self._fail(str(error.args[0]), payment)
                self.ledger.sent += 1
                return False
            self.ledger.sent += 1
            self._gaps.sent(sent)
            return True

    def _headers(self, payment: Payment) -> list[tuple[str, bytes]]:
        return [
            (RUN_HEADER, self.ledger.run.encode()),
            (SEQUENCE_HEADER, str(payment.sequence).encode()),
        ]

    def _answer(self, payment: Payment, sent: float, error: Any, message: Any) -> None:
        now = time.monotonic()
        self._gaps.answered(now)
        self._answered += 1
        if error is not None:
            self._fail(error.str(), payment)
        elif message.offset() is None or message.offset() < 0:
            # The broker had the record already and remembers no more than that.
            self.unlocated.append(_Unlocated(payment, message.partition(), now - sent))
        else:
            self.locate(payment, message.partition(), message.offset(), now - sent)

    def locate(self, payment: Payment, partition: int, offset: int, seconds: float) -> None:
        """Enter an acknowledged record at its offset."""
        part = self.ledger.partitions.setdefault(partition, Partition())
        part.add(offset, payment.kind, checksum(payment.key, payment.value), seconds)

    def _fail(self, reason: str, payment: Payment) -> None:
        self.ledger.failures.setdefault(reason, Failure()).add(payment.sequence)

    def _describe(self) -> str:
        now = time.monotonic()
        rate = self._answered / max(0.001, now - self._started)
        waiting = self._gaps.waiting(now)
        silence = f", no acknowledgement for {waiting:.0f} s" if waiting >= 2 else ""
        return (
            f"sent {self.ledger.sent:,} of {self.ledger.requested:,}, "
            f"acknowledged {self._answered - self.ledger.failed:,}, {rate:,.0f} records/s{silence}"
        )


def finish(sender: Sender, reader: Any, patience: float) -> None:
    """Find records acknowledged without an offset, and note each log's end.

    A record that is not found is entered as a failure: the log does not show what was promised.
    """
    ledger = sender.ledger
    _settle(ledger, {})
    try:
        ends = _ends(reader, ledger)
        _settle(ledger, ends)
        missing = _locate(sender, reader, ends, patience)
    except ClientError:
        # The brokers went away after the last acknowledgement: the ledger is good without.
        missing = sender.unlocated
    for item in missing:
        reason = "acknowledged without an offset and not found in the log"
        ledger.failures.setdefault(reason, Failure()).add(item.payment.sequence)
    _settle(ledger, {})


def _settle(ledger: Ledger, ends: dict[int, int]) -> None:
    """Sort each partition and set its end, which is at least after its last record."""
    for number, partition in ledger.partitions.items():
        partition.sort()
        partition.end = max(partition.end, ends.get(number, 0), partition.offsets[-1] + 1)


def _locate(sender: Sender, reader: Any, ends: dict[int, int], patience: float) -> list[_Unlocated]:
    """Enter the records whose offset is unknown by their headers; returns those not found."""
    wanted = {str(item.payment.sequence): item for item in sender.unlocated}
    if not wanted:
        return []
    parts = {item.partition for item in sender.unlocated} & ends.keys()
    ranges = {part: (_first(sender.ledger, part), ends[part] - 1) for part in parts}
    for message in brokers.read_ranges(reader, sender.ledger.topic, ranges, patience):
        if brokers.header(message, RUN_HEADER) == sender.ledger.run:
            item = wanted.pop(brokers.header(message, SEQUENCE_HEADER) or "", None)
            if item is not None:
                sender.locate(item.payment, message.partition(), message.offset(), item.seconds)
    return list(wanted.values())


def _first(ledger: Ledger, partition: int) -> int:
    known = ledger.partitions.get(partition)
    return known.offsets[0] if known else 0


def _ends(reader: Any, ledger: Ledger) -> dict[int, int]:
    from confluent_kafka import KafkaException, TopicPartition

    ends = {}
    for part in brokers.partitions_of(reader, [ledger.topic])[ledger.topic]:
        try:
            place = TopicPartition(ledger.topic, part)
            ends[part] = reader.get_watermark_offsets(place, timeout=10)[1]
        except KafkaException:
            # Without a leader right now: the last acknowledged offset has to do.
            continue
    return ends
