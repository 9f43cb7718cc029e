"""Send a person's file: all of it is valid before anything is sent."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafka_metal_client import brokers
from kafka_metal_client.csvfile import CsvFile
from kafka_metal_client.errors import ClientError
from kafka_metal_client.jsonlfile import JsonLines
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.records import FAULTS_SHOWN, Check, Reader, Record, format_of

POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Options:
    """How to read the file; see the command's help."""

    format: str | None = None
    key: str | None = None
    delimiter: str = ","
    null: str | None = None


@dataclass
class Sent:
    """Counts of records; ``failures`` by reason, with the first line of each."""

    sent: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    failures: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """Records that were given up."""
        return sum(count for count, _ in self.failures.values())


def open_reader(path: Path, options: Options) -> Reader:
    """The reader for a file; ClientError for what cannot be read twice or has no known format."""
    if not path.is_file():
        problem = "is no regular file, and it is read twice" if path.exists() else "does not exist"
        raise ClientError(f"{path} {problem}")
    if (options.format or format_of(path)) == "csv":
        return CsvFile(path, options.key, options.delimiter, options.null)
    return JsonLines(path, options.key)


def validate(path: Path, reader: Reader) -> Check:
    """The check of a whole file; ClientError lists its faults, each with line and column."""
    check = reader.check()
    if check.faults:
        shown = "\n".join(f"{path}: {fault}" for fault in check.faults)
        more = "\n(there may be more)" if len(check.faults) >= FAULTS_SHOWN else ""
        raise ClientError(f"{shown}{more}\nnothing was sent")
    if check.records == 0:
        raise ClientError(f"{path} has no records; nothing was sent")
    return check


def send(
    producer: Any, topic: str, reader: Reader, pacer: Pacer, total: int, progress: Progress
) -> Sent:
    """Send all records and wait until each is acknowledged or given up."""
    result = Sent()
    started = time.monotonic()

    def describe() -> str:
        rate = result.acknowledged / max(0.001, time.monotonic() - started)
        return (
            f"sent {result.sent:,} of {total:,}, acknowledged {result.acknowledged:,}, "
            f"{rate:,.0f} records/s"
        )

    for record in reader.records():
        producer.poll(0)
        while (delay := pacer.delay(time.monotonic())) > 0:
            producer.poll(delay)
        _produce(producer, topic, record, result)
        progress.show(describe)
    while result.acknowledged + result.failed < result.sent:
        producer.poll(POLL_SECONDS)
        progress.show(describe)
    progress.close()
    result.seconds = time.monotonic() - started
    return result


def _produce(producer: Any, topic: str, record: Record, result: Sent) -> None:
    def answer(error: Any, _message: Any) -> None:
        if error is None:
            result.acknowledged += 1
        else:
            count, first = result.failures.get(error.str(), (0, record.line))
            result.failures[error.str()] = (count + 1, first)

    while True:
        try:
            producer.produce(topic, key=record.key, value=record.value, on_delivery=answer)
        except BufferError:
            producer.poll(POLL_SECONDS)
            continue
        result.sent += 1
        return


def describe_columns(check: Check) -> str:
    """The columns as the schema of a pipeline declaration."""
    return ", ".join(f"{name} {kind}" for name, kind in check.columns.items())


def produce_file(
    path: Path, options: Options, bootstrap: str, extra: Mapping[str, str], topic: str, rate: float
) -> tuple[Check, Sent]:
    """Validate, then send; ClientError before the first record when something does not fit."""
    before = path.stat() if path.is_file() else None
    reader = open_reader(path, options)
    check = validate(path, reader)
    producer = brokers.producer(bootstrap, extra, delivery_timeout=300)
    brokers.partitions_of(producer, [topic])
    after = path.stat()
    if before and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise ClientError(f"{path} changed while it was validated; nothing was sent")
    pacer = Pacer(rate, time.monotonic())
    return check, send(producer, topic, reader, pacer, check.records, Progress())
