"""The ledger of a run: sent records, and the offset of each acknowledged one.

JSON, one file per run:

    {"format": "kafka-metal ledger 1", "run", "topic", "seed", "started", "ended",
     "requested": records to send, "sent": passed to the producer, "acknowledged", "failed",
     "accepted", "frauds", "invalid": acknowledged records by expected output,
     "kinds": {kind: acknowledged records},
     "letters": {letter: kind},
     "longest_gap_seconds": longest time without an acknowledgement while a record was in flight,
     "partitions": {"0": {
        "ranges": [[first, last], …]: acknowledged offsets, ascending,
        "kinds": one letter per acknowledged offset, in that order,
        "checksums": base64 of one little-endian CRC-32 of key and value per offset,
        "end": the log's end after the run,
        "slowest_ack_seconds"}},
     "failures": [{"reason", "count", "sequences": first ten}]}

100,000 records take 0.7 MB.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kafka_metal_client.errors import ClientError

from kafka_metal_reconciliation.atomic_write import write_atomically
from kafka_metal_reconciliation.payments import FRAUD, KINDS, is_accepted

FORMAT = "kafka-metal ledger 1"
LETTERS = dict(zip("vfntgymeorau", KINDS, strict=True))
LETTER_OF = {kind: letter for letter, kind in LETTERS.items()}
EXAMPLES = 10


@dataclass
class Partition:
    """Acknowledged records of a partition; offsets, letters and checksums have one per record."""

    offsets: array[int] = field(default_factory=lambda: array("q"))
    letters: bytearray = field(default_factory=bytearray)
    checksums: array[int] = field(default_factory=lambda: array("I"))
    slowest_ack: float = 0.0
    end: int = 0

    def add(self, offset: int, kind: str, checksum: int, seconds: float) -> None:
        """Add an acknowledgement, received ``seconds`` after the send."""
        self.offsets.append(offset)
        self.letters += LETTER_OF[kind].encode()
        self.checksums.append(checksum)
        self.slowest_ack = max(self.slowest_ack, seconds)

    def sort(self) -> None:
        """Sort the three sequences by offset."""
        order = sorted(range(len(self.offsets)), key=self.offsets.__getitem__)
        self.letters = bytearray(self.letters[index] for index in order)
        self.checksums = array("I", (self.checksums[index] for index in order))
        self.offsets = array("q", (self.offsets[index] for index in order))

    def kinds(self) -> Iterator[tuple[int, str]]:
        """Yield offset and kind of each record."""
        for offset, letter in zip(self.offsets, self.letters.decode(), strict=True):
            yield offset, LETTERS[letter]


@dataclass
class Failure:
    """Records that failed for one reason: their number, and the first sequence numbers."""

    count: int = 0
    sequences: list[int] = field(default_factory=list)

    def add(self, sequence: int) -> None:
        """Count a record."""
        self.count += 1
        if len(self.sequences) < EXAMPLES:
            self.sequences.append(sequence)


@dataclass
class Ledger:
    """The ledger of one run; times are ISO 8601 in UTC."""

    run: str
    topic: str
    seed: int
    requested: int
    started: str = ""
    ended: str = ""
    sent: int = 0
    longest_gap: float = 0.0
    partitions: dict[int, Partition] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)

    @property
    def acknowledged(self) -> int:
        """Number of acknowledged records."""
        return sum(len(partition.offsets) for partition in self.partitions.values())

    @property
    def failed(self) -> int:
        """Number of failed records; some of them may still be in the log."""
        return sum(failure.count for failure in self.failures.values())

    def kinds(self) -> Counter[str]:
        """Return the number of acknowledged records per kind."""
        letters = Counter(b"".join(part.letters for part in self.partitions.values()).decode())
        return Counter({kind: letters[letter] for letter, kind in LETTERS.items()})

    def expected(self) -> dict[tuple[int, int], str]:
        """Return the kind of each acknowledged record by (partition, offset)."""
        return {
            (number, offset): kind
            for number, partition in self.partitions.items()
            for offset, kind in partition.kinds()
        }


def checksum(key: bytes | None, value: bytes | None) -> int:
    """Return the CRC-32 of a record; None and an empty value differ."""
    start = zlib.crc32(key or b"")
    return zlib.crc32(b"\x00" if value is None else b"\x01" + value, start)


def to_ranges(offsets: Iterable[int]) -> list[list[int]]:
    """Return ascending offsets as [first, last] pairs."""
    ranges: list[list[int]] = []
    for offset in offsets:
        if ranges and ranges[-1][1] + 1 == offset:
            ranges[-1][1] = offset
        else:
            ranges.append([offset, offset])
    return ranges


def from_ranges(ranges: Iterable[list[int]]) -> array[int]:
    """Return the offsets of [first, last] pairs; the inverse of to_ranges."""
    return array("q", (offset for first, last in ranges for offset in range(first, last + 1)))


def save(ledger: Ledger, path: Path) -> None:
    """Write the ledger atomically."""
    write_atomically(path, json.dumps(to_json(ledger), indent=1, ensure_ascii=False) + "\n")


def to_json(ledger: Ledger) -> dict[str, object]:
    """Return the ledger in the form of the module's docstring."""
    kinds = ledger.kinds()
    accepted = sum(count for kind, count in kinds.items() if is_accepted(kind))
    return {
        "format": FORMAT,
        "run": ledger.run,
        "topic": ledger.topic,
        "seed": ledger.seed,
        "started": ledger.started,
        "ended": ledger.ended,
        "requested": ledger.requested,
        "sent": ledger.sent,
        "acknowledged": ledger.acknowledged,
        "failed": ledger.failed,
        "accepted": accepted,
        "frauds": kinds[FRAUD],
        "invalid": ledger.acknowledged - accepted,
        "kinds": dict(kinds),
        "letters": LETTERS,
        "longest_gap_seconds": round(ledger.longest_gap, 3),
        "partitions": {
            str(number): {
                "ranges": to_ranges(partition.offsets),
                "kinds": partition.letters.decode(),
                "checksums": _pack(partition.checksums),
                "end": partition.end,
                "slowest_ack_seconds": round(partition.slowest_ack, 3),
            }
            for number, partition in sorted(ledger.partitions.items())
        },
        "failures": [
            {"reason": reason, "count": failure.count, "sequences": failure.sequences}
            for reason, failure in sorted(ledger.failures.items())
        ],
    }


def load(path: Path) -> Ledger:
    """Read a ledger; ClientError if the file is not a ledger."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClientError(f"cannot read the ledger {path}: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ClientError(f"{path} is not a ledger: it lacks the format {FORMAT!r}")
    ledger = Ledger(
        run=data["run"],
        topic=data["topic"],
        seed=data["seed"],
        requested=data["requested"],
        started=data["started"],
        ended=data["ended"],
        sent=data["sent"],
        longest_gap=data["longest_gap_seconds"],
    )
    for number, part in data["partitions"].items():
        ledger.partitions[int(number)] = Partition(
            offsets=from_ranges(part["ranges"]),
            letters=bytearray(part["kinds"].encode()),
            checksums=_unpack(part["checksums"]),
            slowest_ack=part["slowest_ack_seconds"],
            end=part["end"],
        )
    for failure in data["failures"]:
        ledger.failures[failure["reason"]] = Failure(failure["count"], failure["sequences"])
    return ledger


def _pack(checksums: array[int]) -> str:
    return base64.b64encode(_little_endian(checksums).tobytes()).decode()


def _unpack(text: str) -> array[int]:
    return _little_endian(array("I", base64.b64decode(text)))


def _little_endian(values: array[int]) -> array[int]:
    if sys.byteorder == "little":
        return values
    swapped = array("I", values)
    swapped.byteswap()
    return swapped
