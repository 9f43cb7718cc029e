"""Copy a range of a topic, given by offsets or times, to another topic.

At least once: the header ``kafka-metal.source`` of each copy has the topic, partition and offset
of its source. With it a reader can drop duplicates that an interrupted replay caused.
"""

import re
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from kafka_metal_declarations.text_file import quote_shortened

from kafka_metal_client import brokers
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.stop_signal import WAITING, Stop

SOURCE_HEADER = "kafka-metal.source"
# Of copies with the current time: the time of the source in ms since 1970.
TIME_HEADER = "kafka-metal.timestamp"
STAMPS = ("source", "now")
LOOK_UP_SECONDS = 20
STALL_TIMEOUT_SECONDS = 60

_AGO = re.compile(r"(\d+) ?([smhd]) ago")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
ALLOWED = "earliest, latest, an offset, a time with its zone, or how long ago, such as 2h ago"

# First and end offset by partition; the end is excluded unless noted otherwise.
Ranges = dict[int, tuple[int, int]]


@dataclass
class ReplayResult:
    """Counts of records, and the offsets that were not acknowledged."""

    requested: int = 0
    sent: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)
    # First and last unacknowledged offset of the source by partition, both included.
    missing: Ranges = field(default_factory=dict)
    # The same of the offsets that were not sent, after a stop.
    unsent: Ranges = field(default_factory=dict)
    # Why the source could not be read to the end of the range.
    stall: str = ""

    @property
    def whole(self) -> bool:
        """Whether every record of the range was acknowledged."""
        return self.acknowledged == self.requested and not self.unsent

    @property
    def remaining(self) -> Ranges:
        """First and last offset by partition that is unacknowledged or was not sent."""
        after = {
            number: (self.missing.get(number, (first, last))[0], last)
            for number, (first, last) in self.unsent.items()
        }
        return self.missing | after


@dataclass(frozen=True)
class Bound:
    """A position in every partition: a name, an offset, or a time in ms since 1970."""

    name: str = ""
    offset: int = -1
    time_ms: int = -1


def parse_bound(text: str, now: datetime) -> Bound:
    """Parse a bound of a range; ClientError names the allowed forms."""
    stripped = text.strip()
    if stripped in ("earliest", "latest"):
        return Bound(name=stripped)
    try:
        if stripped.isdecimal():
            return Bound(offset=int(stripped))
        if ago := _AGO.fullmatch(stripped):
            moment = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
            return Bound(time_ms=round(moment.timestamp() * 1000))
        moment = datetime.fromisoformat(stripped)
    except (OverflowError, ValueError):
        # Also numbers and times that are too large.
        raise ClientError(f"found {quote_shortened(text)}; allowed: {ALLOWED}") from None
    if moment.tzinfo is None:
        raise ClientError(
            f"found {text!r}, a time without a zone; allowed: {stripped}Z or {stripped}+01:00"
        )
    return Bound(time_ms=round(moment.timestamp() * 1000))


def offset_of_bound(requested: Bound, first: int, end: int, found: int) -> int:
    """Return the offset of a bound in a log from ``first`` to ``end`` (excluded).

    ``found`` is the first offset at or after the bound's time, negative if there is none.
    """
    if requested.name == "earliest":
        return first
    if requested.name == "latest":
        return end
    offset = requested.offset if requested.time_ms < 0 else found if found >= 0 else end
    return min(max(offset, first), end)


def compute_ranges(
    reader: Any, topic: str, partitions: list[int], since: Bound, until: Bound
) -> tuple[Ranges, int]:
    """Return offsets to read by partition, and how many requested offsets retention deleted."""
    from confluent_kafka import KafkaException, TopicPartition

    found, deleted = {}, 0
    for number in partitions:
        try:
            first, end = reader.get_watermark_offsets(
                TopicPartition(topic, number), timeout=LOOK_UP_SECONDS
            )
        except KafkaException as error:
            raise _unknown_range(topic, number, error.args[0]) from error
        begins, ends = (
            offset_of_bound(each, first, end, _at(reader, topic, number, each.time_ms))
            for each in (since, until)
        )
        if 0 <= since.offset < first:
            deleted += first - since.offset
        if begins < ends:
            found[number] = (begins, ends)
    return found, deleted


def _at(reader: Any, topic: str, number: int, time_ms: int) -> int:
    """Return the first offset of a partition at or after a time; negative if there is none."""
    from confluent_kafka import KafkaException, TopicPartition

    if time_ms < 0:
        return -1
    try:
        (found,) = reader.offsets_for_times(
            [TopicPartition(topic, number, time_ms)], timeout=LOOK_UP_SECONDS
        )
    except KafkaException as error:
        raise _unknown_range(topic, number, error.args[0]) from error
    # Its offset would mean that there is no such record.
    if found.error is not None:
        raise _unknown_range(topic, number, found.error)
    return int(found.offset)


def _unknown_range(topic: str, number: int, error: Any) -> ClientError:
    """Return the error of a partition whose offsets cannot be read, such as without a leader."""
    return ClientError(
        f"the offsets of {topic}-{number} cannot be read: {error.str()}; nothing was sent"
    )


def older(reader: Any, topic: str, requested: Ranges, time_ms: int) -> int:
    """Return how many of the requested offsets are before the first record at or after a time."""
    result = 0
    for number, (first, end) in requested.items():
        found = offset_of_bound(
            Bound(time_ms=time_ms), first, end, _at(reader, topic, number, time_ms)
        )
        result += found - first
    return result


def check(source: str, target: str, known: Mapping[str, list[int]], chosen: list[int]) -> list[int]:
    """Return the partitions to read; ClientError if they or the target are invalid."""
    if source == target:
        raise ClientError(
            f"topic {source} is source and target: its consumers would read the range twice, and "
            "copies could not be told apart; use another topic"
        )
    foreign = sorted(set(chosen) - set(known[source]))
    if foreign:
        numbers = ", ".join(map(str, foreign))
        raise ClientError(f"topic {source} has no partition {numbers}; it has {len(known[source])}")
    return chosen or known[source]


def copy_records(
    reader: Any,
    delivery: Delivery,
    source: str,
    requested: Ranges,
    pacer: Pacer,
    progress: Progress,
    stopped: Stop,
    stamp: str = "source",
) -> ReplayResult:
    """Send the records of a range, or those before a stop; wait until each has its result.

    A source that stalls after records were sent is a stop, too; before that it is a ClientError.
    ``stamp``: ``source`` copies the time of each record, ``now`` replaces it by the current time.
    """
    result = ReplayResult(requested=sum(end - first for first, end in requested.values()))
    started = time.monotonic()

    def describe() -> str:
        rate = result.acknowledged / max(0.001, time.monotonic() - started)
        return (
            f"replayed {result.acknowledged:,} of {result.requested:,}, {rate:,.0f} records/s"
            f"{WAITING if stopped() else ''}"
        )

    def show() -> None:
        progress.show(describe)

    included = {number: (first, end - 1) for number, (first, end) in requested.items()}
    following = {number: first for number, (first, _) in requested.items()}
    messages = brokers.read_ranges(reader, source, included, STALL_TIMEOUT_SECONDS, stopped)
    with closing(progress):
        try:
            for message in messages:
                if not delivery.wait_until_due(pacer, stopped):
                    break
                place = message.partition(), message.offset()
                done = partial(_count_result, result, place)
                delivery.send(copy_arguments(message, stamp), done, show)
                following[place[0]] = place[1] + 1
                show()
        except ClientError as error:
            if not delivery.sent:
                raise
            result.stall = str(error)
        if stopped() or result.stall:
            result.unsent = {
                number: (following[number], last)
                for number, (_, last) in included.items()
                if following[number] <= last
            }
        delivery.wait_for_results(show)
    result.sent = delivery.sent
    # Transaction markers and compacted records occupy offsets of the range without being records.
    result.requested = delivery.sent
    result.seconds = time.monotonic() - started
    return result


def _count_result(
    result: ReplayResult, place: tuple[int, int], reason: str | None, _message: object
) -> None:
    if reason is None:
        result.acknowledged += 1
        return
    result.failures[reason] = result.failures.get(reason, 0) + 1
    number, offset = place
    first, last = result.missing.get(number, (offset, offset))
    result.missing[number] = min(first, offset), max(last, offset)


def copy_arguments(message: Any, stamp: str = "source") -> dict[str, Any]:
    """Return the arguments of ``produce`` for the copy of a record, with its source as header."""
    origin = f"{message.topic()}-{message.partition()}@{message.offset()}"
    kind, moment = message.timestamp()
    added = [(SOURCE_HEADER, origin.encode())]
    if stamp == "now" and kind:
        added.append((TIME_HEADER, str(moment).encode()))
    replaced = {name for name, _ in added}
    kept = [(key, value) for key, value in message.headers() or () if key not in replaced]
    return {
        "key": message.key(),
        "value": message.value(),
        "headers": [*kept, *added],
        # 0 if the source has no timestamp: the producer then uses the current time.
        "timestamp": moment if kind and stamp == "source" else 0,
    }


def current_time() -> datetime:
    """Return the current time, from which `2h ago` is counted."""
    return datetime.now(UTC)
