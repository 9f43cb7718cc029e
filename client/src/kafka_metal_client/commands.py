"""The functions behind the commands: parsed arguments in, exit code out."""

import argparse
import time
from datetime import datetime
from functools import partial
from typing import Any

from kafka_metal_client import brokers, registered, retention
from kafka_metal_client import content as declared
from kafka_metal_client import produce as producing
from kafka_metal_client import replay as replaying
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.options import client_settings, connection_arguments, program
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.records import Check
from kafka_metal_client.stop_signal import stop_signal
from kafka_metal_client.terminal import command_line, echo
from kafka_metal_client.topic_settings import limit_in, settings_of

# Whatever the format of the file is.
FORMAT = "format: JSON objects, one per row: a pipeline reads them with source.format json"


def produce(options: argparse.Namespace) -> int:
    """Validate a file and send it to a topic."""
    reading = producing.Options(options.format, options.key, options.delimiter, options.null)
    encoding = _encoding(options)
    if options.dry_run:
        reader = producing.open_reader(options.file, reading)
        whole = registered.Encoded(reader, encoding) if encoding else reader
        check = producing.validate(options.file, whole)
        valid = f"{options.file}: {check.records:,} records are valid; nothing was sent"
        echo(valid, *_hints(check), str(encoding or FORMAT))
        echo(f"schema: {producing.describe_columns(check)}")
        echo(f"first record: {next(reader.records()).value.decode()}")
        return 0
    extra = client_settings(options)
    check, sent, rest = producing.produce_file(
        options.file, reading, options.bootstrap, extra, options.topic, options.rate, encoding
    )
    unsent = max(0, check.records - sent.sent)
    stopped = f", {unsent:,} not sent" if unsent else ""
    counts = f"{sent.acknowledged:,} acknowledged, {sent.failed:,} not{stopped}"
    valid = f"{options.file}: {check.records:,} records are valid"
    echo(valid, *_hints(check), str(encoding or FORMAT))
    echo(
        f"sent {sent.sent:,} to {options.topic}, acknowledged {sent.acknowledged:,} "
        f"in {sent.seconds:.1f} s ({sent.acknowledged / max(sent.seconds, 0.001):,.0f} records/s)"
    )
    for reason, (count, line) in sorted(sent.failures.items()):
        echo(f"{count:,} records failed, the first from line {line}: {reason}")
    if rest:
        again = [program(), "produce", *connection_arguments(options), "--topic", options.topic]
        again += ["--key", options.key] if options.key else []
        again += _registry(options)
        again += _rate(options)
        echo(f"{counts}; these are in {rest}")
        cause = "after fixing the cause" if sent.failed else "to send the rest"
        echo(f"{cause}, run: {command_line([*again, str(rest)])}")
    elif sent.unsaved:
        echo(f"{counts}. They could not be saved: {sent.unsaved}")
        if places := sent.describe_rest(check):
            echo(f"not acknowledged or not sent in {options.file}: {places}")
            echo("copy these lines to a new file, with the header of a CSV, and send that file")
    return 0 if sent.acknowledged == check.records and not sent.unsaved else 1


def _encoding(options: argparse.Namespace) -> registered.Encoding | None:
    """Return the encoding by the options; None to send JSON."""
    if options.registry is None:
        return None
    clients = registered.connect(options.registry)
    subject = options.subject or f"{options.topic}-value"
    return registered.read_encoding(clients, subject, options.topic)


def content(options: argparse.Namespace) -> int:
    """Create the topics and ACLs that are missing, and set the passwords."""
    specs = declared.load(options.file, options.passwords)
    made = declared.create_missing(specs, options.bootstrap, client_settings(options))
    users, acls = len(specs.users), len(list(specs.acls))
    echo(f"{users} users and {acls} ACLs are as declared")
    echo(f"{len(specs.topics)} topics declared, created: {', '.join(made) or 'none'}")
    return 0


def replay(options: argparse.Namespace) -> int:
    """Copy a range of a topic to another topic."""
    moment = replaying.current_time()
    since, until = (replaying.parse_bound(text, moment) for text in (options.since, options.until))
    extra = client_settings(options)
    reader = brokers.consumer(options.bootstrap, extra)
    try:
        known = brokers.read_partitions(reader, [options.source, options.target])
        chosen = replaying.check(options.source, options.target, known, options.partition)
        requested, deleted = replaying.compute_ranges(reader, options.source, chosen, since, until)
        for number, (first, end) in sorted(requested.items()):
            echo(f"{options.source}-{number}: offsets {first:,} to {end - 1:,}")
        if deleted:
            echo(f"{deleted:,} offsets before the start of the log were deleted by retention")
        if not requested:
            echo("nothing was sent" if options.dry_run else "this range has no records")
            return 0
        settings = settings_of(options.bootstrap, extra, options.target)
        if options.stamp == "source":
            _warn_of_old_records(reader, options, requested, retention.ages(settings), moment)
        if options.dry_run:
            echo("nothing was sent")
            return 0
        limit = limit_in(settings)
        connect = partial(brokers.producer, options.bootstrap, extra, 300, limit)
        pacer = Pacer(options.rate, time.monotonic())
        delivery = Delivery(connect, options.target, limit)
        with stop_signal() as stopped:
            done = replaying.copy_records(
                reader, delivery, options.source, requested, pacer, Progress(), stopped,
                options.stamp,
            )  # fmt: skip
    finally:
        reader.close()
    echo(
        f"sent {done.sent:,} to {options.target}, acknowledged {done.acknowledged:,} "
        f"in {done.seconds:.1f} s ({done.acknowledged / max(done.seconds, 0.001):,.0f} records/s)"
    )
    for reason, count in sorted(done.failures.items()):
        echo(f"{count:,} records failed: {reason}")
    if done.stall:
        echo(f"stopped: {done.stall}")
    if not done.whole:
        echo(f"{done.acknowledged:,} acknowledged, {done.requested - done.acknowledged:,} not")
    for number, (first, last) in sorted(done.unsent.items()):
        echo(f"{options.source}-{number}: offsets {first:,} to {last:,} were not sent")
    if done.missing:
        echo("fix the cause, then run these (acknowledged records in between are sent twice):")
    elif done.stall:
        echo("when all partitions of the source have a leader again (make status), run:")
    elif done.unsent:
        echo("to send the rest, run:")
    for number, (first, last) in sorted(done.remaining.items()):
        again = [program(), "replay", *connection_arguments(options)]
        again += ["--source", options.source, "--target", options.target]
        again += ["--partition", str(number), "--stamp", options.stamp]
        again += ["--from", str(first), "--until", str(last + 1), *_rate(options)]
        echo(f"  {command_line(again)}")
    return 0 if done.whole else 1


def _registry(options: argparse.Namespace) -> list[str]:
    registry = ["--registry", str(options.registry)] if options.registry else []
    return registry + (["--subject", options.subject] if options.subject else [])


def _rate(options: argparse.Namespace) -> list[str]:
    return ["--rate", str(options.rate)] if options.rate else []


def _warn_of_old_records(
    reader: Any,
    options: argparse.Namespace,
    requested: replaying.Ranges,
    limits: retention.Ages,
    moment: datetime,
) -> None:
    """Print how many records of the range are older than the target retains or accepts."""
    oldest = round(moment.timestamp() * 1000) - limits.smallest
    if oldest <= 0:
        return
    old = replaying.older(reader, options.source, requested, oldest)
    if old:
        count = sum(end - first for first, end in requested.values())
        echo(retention.warning(options.target, limits, old, count))
        echo("with STAMP=now (--stamp now), copies have the current time instead")


def _hints(check: Check) -> list[str]:
    return [f"hint: {hint}" for hint in check.hints]
