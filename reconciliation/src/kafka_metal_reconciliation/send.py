"""Send payments and record the result of each."""

import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kafka_metal_client import brokers
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.stop_signal import Stop

from kafka_metal_reconciliation.ack_gaps import AckGaps
from kafka_metal_reconciliation.ledger import Failure, Ledger, Partition, checksum
from kafka_metal_reconciliation.payments import Payment, iso_time

# Headers that identify a record of a run in the log, whatever its value.
RUN_HEADER = "kafka-metal.run"
SEQUENCE_HEADER = "kafka-metal.sequence"


@dataclass
class _Unlocated:
    """An acknowledged record whose offset the client did not receive."""

    payment: Payment
    partition: int
    seconds: float


class Sender:
    """Passes payments to a producer and fills the ledger; one instance per run."""

    def __init__(self, delivery: Delivery, ledger: Ledger, progress: Progress) -> None:
        """``delivery`` sends to the topic of the ledger."""
        self._delivery = delivery
        self.ledger = ledger
        self._progress = progress
        self._gaps = AckGaps()
        self._started = time.monotonic()
        self.unlocated: list[_Unlocated] = []
        self._completed = 0

    def send(self, payments: Iterable[Payment], pacer: Pacer, stopped: Stop) -> None:
        """Send all payments, then wait until each is acknowledged or failed."""
        self._started = time.monotonic()
        self.ledger.started = iso_time(datetime.now(UTC))
        with closing(self._progress):
            for payment in payments:
                if not self._delivery.wait_until_due(pacer, stopped):
                    break
                self._produce(payment)
                self._progress.show(self._describe)
            self._delivery.wait_for_results(lambda: self._progress.show(self._describe))
        self.ledger.longest_gap = self._gaps.longest
        self.ledger.ended = iso_time(datetime.now(UTC))

    def _produce(self, payment: Payment) -> None:
        sent = time.monotonic()
        self._gaps.sent(sent)
        self._delivery.send(
            {"key": payment.key, "value": payment.value, "headers": self._headers(payment)},
            lambda reason, message: self._complete(payment, sent, reason, message),
            lambda: self._progress.show(self._describe),
        )
        self.ledger.sent += 1

    def _headers(self, payment: Payment) -> list[tuple[str, bytes]]:
        return [
            (RUN_HEADER, self.ledger.run.encode()),
            (SEQUENCE_HEADER, str(payment.sequence).encode()),
        ]

    def _complete(self, payment: Payment, sent: float, reason: str | None, message: Any) -> None:
        now = time.monotonic()
        self._gaps.completed(now)
        self._completed += 1
        if reason is not None:
            self._fail(reason, payment)
        elif message.offset() is None or message.offset() < 0:
            # A duplicate of a record that the broker had already: it returns no offset.
            self.unlocated.append(_Unlocated(payment, message.partition(), now - sent))
        else:
            self.locate(payment, message.partition(), message.offset(), now - sent)

    def locate(self, payment: Payment, partition: int, offset: int, seconds: float) -> None:
        """Add an acknowledged record to the ledger at its offset."""
        part = self.ledger.partitions.setdefault(partition, Partition())
        part.add(offset, payment.kind, checksum(payment.key, payment.value), seconds)

    def _fail(self, reason: str, payment: Payment) -> None:
        self.ledger.failures.setdefault(reason, Failure()).add(payment.sequence)

    def _describe(self) -> str:
        now = time.monotonic()
        rate = self._completed / max(0.001, now - self._started)
        waiting = self._gaps.waiting(now)
        gap = f", no acknowledgement for {waiting:.0f} s" if waiting >= 2 else ""
        return (
            f"sent {self.ledger.sent:,} of {self.ledger.requested:,}, "
            f"acknowledged {self._completed - self.ledger.failed:,}, {rate:,.0f} records/s{gap}"
        )


def finish(sender: Sender, reader: Any, stall_timeout: float) -> None:
    """Find records that were acknowledged without an offset, and record the end of each log.

    A record that is not found counts as failed, although it was acknowledged.
    """
    ledger = sender.ledger
    _settle(ledger, {})
    try:
        ends = _ends(reader, ledger)
        _settle(ledger, ends)
        missing = _locate(sender, reader, ends, stall_timeout)
    except ClientError:
        # Brokers unreachable after the last acknowledgement: the ledger is valid without this.
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


def _locate(
    sender: Sender, reader: Any, ends: dict[int, int], stall_timeout: float
) -> list[_Unlocated]:
    """Find records without an offset by their headers; return those that were not found."""
    wanted = {str(item.payment.sequence): item for item in sender.unlocated}
    if not wanted:
        return []
    parts = {item.partition for item in sender.unlocated} & ends.keys()
    ranges = {part: (_first(sender.ledger, part), ends[part] - 1) for part in parts}
    for message in brokers.read_ranges(reader, sender.ledger.topic, ranges, stall_timeout):
        if brokers.header_text(message, RUN_HEADER) == sender.ledger.run:
            item = wanted.pop(brokers.header_text(message, SEQUENCE_HEADER) or "", None)
            if item is not None:
                sender.locate(item.payment, message.partition(), message.offset(), item.seconds)
    return list(wanted.values())


def _first(ledger: Ledger, partition: int) -> int:
    known = ledger.partitions.get(partition)
    return known.offsets[0] if known else 0


def _ends(reader: Any, ledger: Ledger) -> dict[int, int]:
    from confluent_kafka import KafkaException, TopicPartition

    ends = {}
    for part in brokers.read_partitions(reader, [ledger.topic])[ledger.topic]:
        try:
            place = TopicPartition(ledger.topic, part)
            ends[part] = reader.get_watermark_offsets(place, timeout=10)[1]
        except KafkaException:
            # No leader at the moment: the last acknowledged offset is used instead.
            continue
    return ends
