"""Send a part of a topic once more, to another topic: by offsets, by times, or from the beginning.

At least once: the header ``kafka-metal.source`` of each copy names topic, partition and offset
that it came from, so that a reader can leave out what an interrupted replay sent twice.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from kafka_metal_client import brokers
from kafka_metal_client.delivery import POLL_SECONDS, Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress

SOURCE_HEADER = "kafka-metal.source"
LOOK_UP_SECONDS = 20
PATIENCE_SECONDS = 60

_AGO = re.compile(r"(\d+) ?([smhd]) ago")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
ALLOWED = "earliest, latest, an offset, a time with its zone, or how long ago, such as 2h ago"

# Offsets by partition; the second one is not included, unless it says so.
Ranges = dict[int, tuple[int, int]]


@dataclass
class Replayed:
    """Counts of records."""

    wanted: int = 0
    sent: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)
    # First and last offset of the source that was not acknowledged, by partition.
    missing: Ranges = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every record of the range is in the target."""
        return self.acknowledged == self.wanted


@dataclass(frozen=True)
class Bound:
    """A place in every partition: a name, an offset, or a time in milliseconds since 1970."""

    name: str = ""
    offset: int = -1
    time_ms: int = -1


def bound(text: str, now: datetime) -> Bound:
    """What a person means; ClientError names what is allowed."""
    word = text.strip()
    if word in ("earliest", "latest"):
        return Bound(name=word)
    if word.isdecimal():
        return Bound(offset=int(word))
    if ago := _AGO.fullmatch(word):
        moment = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return Bound(time_ms=round(moment.timestamp() * 1000))
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise ClientError(f"found {text!r}; allowed: {ALLOWED}") from None
    if moment.tzinfo is None:
        raise ClientError(
            f"found {text!r}, a time without a zone; allowed: {word}Z or {word}+01:00"
        )
    return Bound(time_ms=round(moment.timestamp() * 1000))


def place(wanted: Bound, first: int, end: int, found: int) -> int:
    """The offset that a bound means in a log from ``first`` to ``end`` (not included).

    ``found`` is the first offset at or after the bound's time, negative where there is none.
    """
    if wanted.name == "earliest":
        return first
    if wanted.name == "latest":
        return end
    offset = wanted.offset if wanted.time_ms < 0 else found if found >= 0 else end
    return min(max(offset, first), end)


def ranges(
    reader: Any, topic: str, partitions: list[int], since: Bound, until: Bound
) -> tuple[Ranges, int]:
    """Offsets to read by partition, and how many of the spec retention has taken already."""
    from confluent_kafka import TopicPartition

    found, gone = {}, 0
    for number in partitions:
        first, end = reader.get_watermark_offsets(
            TopicPartition(topic, number), timeout=LOOK_UP_SECONDS
        )
        begins, ends = (
            place(each, first, end, _at(reader, topic, number, each.time_ms))
            for each in (since, until)
        )
        if 0 <= since.offset < first:
            gone += first - since.offset
        if begins < ends:
            found[number] = (begins, ends)
    return found, gone


def _at(reader: Any, topic: str, number: int, time_ms: int) -> int:
    """First offset of a partition at or after a time; negative where there is none."""
    from confluent_kafka import TopicPartition

    if time_ms < 0:
        return -1
    (found,) = reader.offsets_for_times(
        [TopicPartition(topic, number, time_ms)], timeout=LOOK_UP_SECONDS
    )
    return int(found.offset)


def check(source: str, target: str, known: Mapping[str, list[int]], chosen: list[int]) -> list[int]:
    """Partitions to read; ClientError for a spec that would end badly."""
    if source == target:
        raise ClientError(
            f"topic {source} is source and target: its readers would get the range twice and "
            "nobody could tell copies apart; give another topic"
        )
    foreign = sorted(set(chosen) - set(known[source]))
    if foreign:
        numbers = ", ".join(map(str, foreign))
        raise ClientError(f"topic {source} has no partition {numbers}; it has {len(known[source])}")
    return chosen or known[source]


def copy(
    reader: Any, delivery: Delivery, source: str, wanted: Ranges, pacer: Pacer, progress: Progress
) -> Replayed:
    """Send the records of a range and wait until each is acknowledged or given up."""
    result = Replayed(wanted=sum(end - first for first, end in wanted.values()))
    started = time.monotonic()

    def describe() -> str:
        rate = result.acknowledged / max(0.001, time.monotonic() - started)
        return f"replayed {result.acknowledged:,} of {result.wanted:,}, {rate:,.0f} records/s"

    def show() -> None:
        progress.show(describe)

    included = {number: (first, end - 1) for number, (first, end) in wanted.items()}
    for message in brokers.read_ranges(reader, source, included, PATIENCE_SECONDS):
        delivery.poll(0)
        while (delay := pacer.delay(time.monotonic())) > 0:
            delivery.poll(delay)
        place = message.partition(), message.offset()
        delivery.send(copy_of(message), partial(_note, result, place), show)
        show()
    while delivery.in_flight:
        delivery.poll(POLL_SECONDS)
        show()
    progress.close()
    result.sent = delivery.sent
    # Marks of transactions and records that compaction took have offsets and are no records.
    result.wanted = delivery.sent
    result.seconds = time.monotonic() - started
    return result


def _note(result: Replayed, place: tuple[int, int], reason: str | None, _message: object) -> None:
    if reason is None:
        result.acknowledged += 1
        return
    result.failures[reason] = result.failures.get(reason, 0) + 1
    number, offset = place
    first, last = result.missing.get(number, (offset, offset))
    result.missing[number] = min(first, offset), max(last, offset)


def copy_of(message: Any) -> dict[str, Any]:
    """Arguments of ``produce`` for the copy of a record, which says where it is from."""
    origin = f"{message.topic()}-{message.partition()}@{message.offset()}"
    kind, stamp = message.timestamp()
    return {
        "key": message.key(),
        "value": message.value(),
        "headers": [
            *((key, value) for key, value in message.headers() or () if key != SOURCE_HEADER),
            (SOURCE_HEADER, origin.encode()),
        ],
        # Zero where the source has none: the moment of the replay.
        "timestamp": stamp if kind else 0,
    }


def now() -> datetime:
    """The moment that `2h ago` counts from."""
    return datetime.now(UTC)
