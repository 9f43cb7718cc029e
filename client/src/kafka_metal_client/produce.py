"""Send an operator's file: the whole file is validated before the first record is sent."""

import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kafka_metal_declarations.ddl import Field, to_ddl
from kafka_metal_declarations.file_format import CSV, Format
from kafka_metal_declarations.text_file import Fault

from kafka_metal_client import brokers
from kafka_metal_client.csvfile import CsvFile
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.jsonlfile import JsonLines
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.records import FAULTS_SHOWN, Check, Reader, Record, find_format, too_large
from kafka_metal_client.registered import Encoded, Encoding
from kafka_metal_client.sizes import Limit
from kafka_metal_client.stop_signal import WAITING, Stop, stop_signal
from kafka_metal_client.topic_settings import read_limit

# Lines of failed records in a message.
LINES_SHOWN = 20


@dataclass(frozen=True)
class Options:
    """How to read the file; see the help of ``kafka-metal produce``."""

    format: str | None = None
    key: str | None = None
    delimiter: str | None = None
    null: str | None = None


@dataclass
class SendResult:
    """Counts of records; ``failures`` by reason: how many, and the first line."""

    sent: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    failures: dict[str, tuple[int, int]] = field(default_factory=dict)
    # Lines of records that failed, and of the last one sent.
    lines: set[int] = field(default_factory=set)
    last_line: int = 0
    # Why the records that failed or were not sent are in no file.
    unsaved: str = ""
    # Why the file could not be read to its end, although it was valid.
    unread: str = ""

    @property
    def failed(self) -> int:
        """Number of records that failed."""
        return sum(count for count, _ in self.failures.values())

    def is_rest(self, line: int) -> bool:
        """Whether the record of a line failed or was not sent."""
        return line > self.last_line or line in self.lines

    def describe_rest(self, check: Check) -> str:
        """Return the lines where records begin that failed or were not sent."""
        first = [f"line {line:,}" for line in sorted(self.lines)[:LINES_SHOWN]]
        more = len(self.lines) - LINES_SHOWN
        parts = [*first, *([f"{more:,} more lines"] if more > 0 else [])]
        if check.records > self.sent:
            parts.append(f"all after line {self.last_line:,}")
        return ", ".join(parts)


def open_reader(path: Path, options: Options) -> Reader:
    """Return the reader of a file; ClientError unless it is a regular file of a known format."""
    try:
        # Not is_file, whose answer for a directory without rights depends on the Python version.
        regular = stat.S_ISREG(path.stat().st_mode)
        if regular:
            path.open("rb").close()
    except FileNotFoundError:
        raise ClientError(f"{path} does not exist") from None
    except OSError as error:
        raise ClientError(f"{path} cannot be read: {error.strerror}") from None
    if not regular:
        raise ClientError(f"{path} is not a regular file (it is read twice)")
    form = Format(options.format) if options.format else find_format(path)
    if form.name == CSV:
        return CsvFile(path, options.key, options.delimiter or form.delimiter, options.null)
    return JsonLines(path, options.key)


def validate(path: Path, reader: Reader) -> Check:
    """Return the check of a whole file; ClientError lists its faults with line and column."""
    try:
        check = reader.check()
    except OSError as error:
        raise ClientError(f"{path} cannot be read: {error}; nothing was sent") from None
    if check.faults:
        more = ["(there may be more)"] if len(check.faults) >= FAULTS_SHOWN else []
        shown = [f"{path}: {fault}" for fault in check.faults]
        raise ClientError(*shown, *more, "nothing was sent")
    if check.records == 0:
        raise ClientError(f"{path} has no records; nothing was sent")
    return check


def check_record_sizes(path: Path, check: Check, limit: Limit) -> None:
    """Raise ClientError if a record is larger than the topic's limit."""
    if fault := too_large(check, limit):
        raise ClientError(f"{path}: {fault}", "nothing was sent")


def send(
    delivery: Delivery,
    reader: Reader,
    pacer: Pacer,
    total: int,
    progress: Progress,
    stopped: Stop,
) -> SendResult:
    """Send all records, or those before a stop, and wait until each is acknowledged or failed."""
    result = SendResult()
    started = time.monotonic()

    def describe() -> str:
        rate = result.acknowledged / max(0.001, time.monotonic() - started)
        return (
            f"sent {delivery.sent:,} of {total:,}, acknowledged {result.acknowledged:,}, "
            f"{rate:,.0f} records/s{WAITING if stopped() else ''}"
        )

    def show() -> None:
        progress.show(describe)

    with closing(progress):
        for record in _readable(reader, result):
            if not delivery.wait_until_due(pacer, stopped):
                break
            delivery.send(
                {"key": record.key, "value": record.value},
                partial(_count_result, result, record.line),
                show,
            )
            result.last_line = record.line
            show()
        delivery.wait_for_results(show)
    result.sent = delivery.sent
    result.seconds = time.monotonic() - started
    return result


def _readable(reader: Reader, result: SendResult) -> Iterator[Record]:
    """Yield the records up to one that cannot be read: the file may have changed."""
    try:
        yield from reader.records()
    except (Fault, OSError, ValueError, LookupError) as error:
        result.unread = str(error)


def _count_result(result: SendResult, line: int, reason: str | None, _message: object) -> None:
    if reason is None:
        result.acknowledged += 1
        return
    count, first = result.failures.get(reason, (0, line))
    result.failures[reason] = (count + 1, min(first, line))
    result.lines.add(line)


def keep_rest(path: Path, reader: Reader, sent: SendResult) -> Path:
    """Write the records that failed or were not sent to a JSON Lines file; return its path.

    The file is next to ``path``. If that is not writable, it is in the directory for temporary
    files, with a new name and readable by its owner only, as others can write there, too.
    ClientError if neither can be written.
    """
    name = f"{path.name.removesuffix('.gz')}.rest.jsonl"
    problems = []
    beside: Callable[[], Any] = partial((path.parent / name).open, "wb")
    for open_file in (beside, partial(_open_temporary, name)):
        target = None
        try:
            with open_file() as file:
                target = Path(file.name)
                for record in reader.records():
                    if sent.is_rest(record.line):
                        file.write(record.value + b"\n")
            return target
        except (Fault, OSError, ValueError, LookupError) as error:
            problems.append(str(error))
            # An incomplete file would be taken for the whole rest.
            if target:
                with suppress(OSError):
                    target.unlink()
    raise ClientError("; ".join(problems))


def _open_temporary(name: str) -> Any:
    """Create a file whose name ends with ``name``, without following what others put there."""
    folder = tempfile.gettempdir()
    return tempfile.NamedTemporaryFile("wb", suffix=f"-{name}", dir=folder, delete=False)


def describe_columns(check: Check) -> str:
    """Return the columns as the schema of a pipeline declaration."""
    return to_ddl(tuple(Field(name, kind, False) for name, kind in check.columns.items()))


def produce_file(
    path: Path,
    options: Options,
    bootstrap: str,
    extra: Mapping[str, str],
    topic: str,
    rate: float,
    encoding: Encoding | None = None,
) -> tuple[Check, SendResult, Path | None]:
    """Validate a file, then send it; ClientError before the first record if anything is invalid.

    With ``encoding``, values are encoded by it instead of JSON. The returned path is the file with
    the records that failed or, after a signal, were not sent, as JSON; None if there are none, or
    if the file cannot be written.
    """
    plain = open_reader(path, options)
    reader = Encoded(plain, encoding) if encoding else plain
    before = _version(path)
    check = validate(path, reader)
    metadata_client = brokers.producer(bootstrap, extra, delivery_timeout=300)
    brokers.read_partitions(metadata_client, [topic])
    limit = read_limit(bootstrap, extra, topic)
    check_record_sizes(path, check, limit)
    connect = partial(brokers.producer, bootstrap, extra, delivery_timeout=300, limit=limit)
    if _version(path) != before:
        raise ClientError(f"{path} changed during validation; nothing was sent")
    pacer = Pacer(rate, time.monotonic())
    delivery = Delivery(connect, topic, limit)
    with stop_signal() as stopped:
        sent = send(delivery, reader, pacer, check.records, Progress(), stopped)
        rest = None
        if _version(path) != before:
            # The rest of a changed file may not be what was validated.
            sent.unsaved = f"{path} changed while it was sent"
        elif sent.unread:
            sent.unsaved = f"{path}: {sent.unread}"
        elif sent.acknowledged < check.records:
            try:
                rest = keep_rest(path, plain, sent)
            except ClientError as error:
                # Records were sent: this is no error of the whole command.
                sent.unsaved = str(error)
    return check, sent, rest


def _version(path: Path) -> tuple[int, ...]:
    """Return what differs if a file was changed or replaced; empty if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
