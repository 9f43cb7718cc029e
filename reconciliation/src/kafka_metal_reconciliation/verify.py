"""Check that each acknowledged record of a ledger is still at its offset."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kafka_metal_client import brokers

from kafka_metal_reconciliation.ledger import Ledger, checksum, to_ranges
from kafka_metal_reconciliation.send import RUN_HEADER, SEQUENCE_HEADER

EXAMPLES = 5


@dataclass
class Verification:
    """The result of a check; places are (partition, offset)."""

    acknowledged: int = 0
    found: int = 0
    lost: list[tuple[int, int]] = field(default_factory=list)
    replaced: list[tuple[int, int]] = field(default_factory=list)
    # Lost records before the log's start: deleted by retention or by a user.
    before_start: int = 0
    # Copies after the first of a record, by sequence number.
    duplicates: int = 0
    # Records in the log that failed for the producer.
    unacknowledged: int = 0

    @property
    def ok(self) -> bool:
        """Whether no acknowledged record is lost, replaced or duplicated."""
        return not (self.lost or self.replaced or self.duplicates)

    def messages(self) -> list[str]:
        """Return the result as lines of text, differences last."""
        lines = [
            f"{self.found:,} of {self.acknowledged:,} acknowledged records are at their offset"
        ]
        if self.unacknowledged:
            lines.append(f"{self.unacknowledged:,} unacknowledged records are in the log too")
        if self.lost:
            lines.append(
                f"{len(self.lost):,} acknowledged records are LOST: {format_places(self.lost)}"
            )
        if self.before_start:
            lines.append(
                f"{self.before_start:,} of them are before the start of the log: "
                "deleted by retention or by a user"
            )
        if self.replaced:
            lines.append(
                f"{len(self.replaced):,} offsets have another record than the acknowledged one: "
                f"{format_places(self.replaced)}"
            )
        if self.duplicates:
            lines.append(f"{self.duplicates:,} records are in the log more than once")
        return lines

    def to_json(self) -> dict[str, object]:
        """Return counts, and lost and replaced offsets by partition as [first, last]."""
        return {
            "ok": self.ok,
            "acknowledged": self.acknowledged,
            "found": self.found,
            "lost": len(self.lost),
            "lost_offsets": _by_partition(self.lost),
            "before_start": self.before_start,
            "replaced": len(self.replaced),
            "replaced_offsets": _by_partition(self.replaced),
            "duplicates": self.duplicates,
            "unacknowledged": self.unacknowledged,
        }


def format_places(found: Iterable[tuple[int, int]], examples: int = EXAMPLES) -> str:
    """Return (partition, offset) examples as ``partition 0 offset 17, … and 3 more``."""
    ordered = sorted(found)
    text = ", ".join(f"partition {part} offset {offset}" for part, offset in ordered[:examples])
    return text + (f" and {len(ordered) - examples:,} more" if len(ordered) > examples else "")


def verify(ledger: Ledger, reader: Any, stall_timeout: float) -> Verification:
    """Check the log from the run's first record to the end it had after the run."""
    brokers.read_partitions(reader, [ledger.topic])
    ranges = {
        number: (part.offsets[0], part.end - 1)
        for number, part in ledger.partitions.items()
        if part.offsets
    }
    result = compare(ledger, brokers.read_ranges(reader, ledger.topic, ranges, stall_timeout))
    starts = _log_starts(reader, ledger.topic, {part for part, _ in result.lost})
    result.before_start = sum(offset < starts[part] for part, offset in result.lost)
    return result


def _log_starts(reader: Any, topic: str, parts: set[int]) -> dict[int, int]:
    from confluent_kafka import TopicPartition

    return {
        part: reader.get_watermark_offsets(TopicPartition(topic, part), timeout=10)[0]
        for part in parts
    }


def compare(ledger: Ledger, messages: Iterable[Any]) -> Verification:
    """Compare the records of the log with the ledger."""
    expected = {
        (number, offset): crc
        for number, part in ledger.partitions.items()
        for offset, crc in zip(part.offsets, part.checksums, strict=True)
    }
    result = Verification(acknowledged=len(expected))
    sequences: Counter[str] = Counter()
    acknowledged: set[str] = set()
    for message in messages:
        place = (message.partition(), message.offset())
        crc = expected.pop(place, None)
        if crc is not None and crc != checksum(message.key(), message.value()):
            result.replaced.append(place)
        elif crc is not None:
            result.found += 1
        if brokers.header_text(message, RUN_HEADER) == ledger.run:
            sequence = brokers.header_text(message, SEQUENCE_HEADER) or ""
            sequences[sequence] += 1
            if crc is not None:
                acknowledged.add(sequence)
    result.lost = sorted(expected)
    result.duplicates = sum(count - 1 for count in sequences.values())
    result.unacknowledged = len(sequences.keys() - acknowledged)
    return result


def _by_partition(found: Iterable[tuple[int, int]]) -> dict[str, list[list[int]]]:
    """Return ranges [first, last] of offsets by partition."""
    offsets: dict[str, list[int]] = {}
    for part, offset in sorted(found):
        offsets.setdefault(str(part), []).append(offset)
    return {part: to_ranges(numbers) for part, numbers in offsets.items()}
