"""What each command of the command line does; arguments in, exit code out."""

import argparse
import json
import shlex
import signal
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from kafka_metal_client import brokers, ledger
from kafka_metal_client import content as declared
from kafka_metal_client import produce as producing
from kafka_metal_client import replay as replaying
from kafka_metal_client import report as closing
from kafka_metal_client import send as sending
from kafka_metal_client import verify as verifying
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.payments import MALFORMED, payments, plan_kinds
from kafka_metal_client.progress import Progress
from kafka_metal_client.records import Check
from kafka_metal_client.sizes import Limit, limit_of
from kafka_metal_client.tables import Paint


def produce(options: argparse.Namespace) -> int:
    """Validate a file and send it."""
    reading = producing.Options(options.format, options.key, options.delimiter, options.null)
    if options.dry_run:
        reader = producing.open_reader(options.file, reading)
        check = producing.validate(options.file, reader)
        valid = f"{options.file}: {check.records:,} records are valid; nothing was sent"
        print("\n".join([valid, *_hints(check)]))
        print(f"schema: {producing.describe_columns(check)}")
        print(f"first record: {next(reader.records()).value.decode()}")
        return 0
    check, sent, rest = producing.produce_file(
        options.file, reading, options.bootstrap, _extra(options), options.topic, options.rate
    )
    print("\n".join([f"{options.file}: {check.records:,} records are valid", *_hints(check)]))
    print(
        f"sent {sent.sent:,} to {options.topic}, acknowledged {sent.acknowledged:,} "
        f"in {sent.seconds:.1f} s ({sent.acknowledged / max(sent.seconds, 0.001):,.0f} records/s)"
    )
    for reason, (count, line) in sorted(sent.failures.items()):
        print(f"{count:,} records failed, the first from line {line}: {reason}")
    if rest:
        again = ["kafka-metal", "produce", *_connection(options), "--topic", options.topic]
        again += ["--key", options.key] if options.key else []
        print(f"{sent.acknowledged:,} acknowledged, {sent.failed:,} not; these are in {rest}")
        print(f"once the cause is mended: {shlex.join([*again, str(rest)])}")
    return 0 if sent.acknowledged == check.records else 1


def send(options: argparse.Namespace) -> int:
    """Send payments and write the ledger."""
    run = options.run or f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    try:
        kinds = plan_kinds(
            options.count, options.fraud_share, options.malformed_share, options.seed
        )
    except ValueError as error:
        raise ClientError(str(error)) from error
    producer = brokers.producer(options.bootstrap, _extra(options), options.delivery_timeout)
    brokers.partitions_of(producer, [options.topic])
    book = ledger.Ledger(run, options.topic, options.seed, options.count)
    delivery = Delivery(producer, options.topic, Limit(), options.delivery_timeout)
    sender = sending.Sender(delivery, book, Progress())
    stream = payments(run, kinds, options.seed, now=lambda: datetime.now(UTC))
    sender.send(stream, Pacer(options.rate, time.monotonic()), _stop_signal())
    reader = brokers.consumer(options.bootstrap, _extra(options))
    try:
        sending.finish(sender, reader, patience=60)
    finally:
        # Whatever happened to the last look at the log: the acknowledgements are not lost.
        ledger.save(book, options.ledger)
        reader.close()
    print("\n".join(_send_summary(book)))
    return 0 if book.acknowledged == options.count else 1


def reconcile(options: argparse.Namespace) -> int:
    """Count what became of a run, and write the report."""
    from kafka_metal_client.reconcile import Outputs, Reconciliation, Timeouts

    book = ledger.load(options.ledger)
    outputs = Outputs(
        options.archive,
        options.fraud_topic,
        options.invalid_topic,
        options.metrics_topic,
        options.window,
    )
    work = Reconciliation(book, outputs, Progress())
    reader = brokers.consumer(options.bootstrap, _extra(options))
    try:
        report = work.run(reader, Timeouts(options.timeout, options.standstill))
    finally:
        reader.close()
    if options.report:
        ledger.write_atomically(options.report, _json(report))
    print("\n".join(closing.counts(report, Paint.for_stream(sys.stdout))))
    differences = report["differences"]
    assert isinstance(differences, list)
    for sentence in differences:
        print(f"difference: {sentence}")
    return 0 if report["reconciled"] else 1


def verify(options: argparse.Namespace) -> int:
    """Prove that each acknowledged record is at its offset."""
    book = ledger.load(options.ledger)
    book.topic = options.topic or book.topic
    reader = brokers.consumer(options.bootstrap, _extra(options))
    try:
        result = verifying.verify(book, reader, options.timeout)
    finally:
        reader.close()
    if options.report:
        ledger.write_atomically(options.report, _json(result.to_json()))
    print("\n".join(result.sentences()))
    return 0 if result.ok else 1


def content(options: argparse.Namespace) -> int:
    """Make the topics, ACLs and passwords that are missing."""
    wishes = declared.load(options.file, options.passwords)
    made = declared.make(wishes, options.bootstrap, _extra(options))
    users, acls = len(wishes.users), len(list(wishes.acls))
    print(f"{users} users and {acls} ACLs are as declared")
    print(f"{len(wishes.topics)} topics declared, made: {', '.join(made) or 'none'}")
    return 0


def replay(options: argparse.Namespace) -> int:
    """Send a part of a topic once more."""
    moment = replaying.now()
    since, until = (replaying.bound(text, moment) for text in (options.since, options.until))
    reader = brokers.consumer(options.bootstrap, _extra(options))
    try:
        known = brokers.partitions_of(reader, [options.source, options.target])
        chosen = replaying.check(options.source, options.target, known, options.partition)
        wanted, gone = replaying.ranges(reader, options.source, chosen, since, until)
        for number, (first, end) in sorted(wanted.items()):
            print(f"{options.source}-{number}: offsets {first:,} to {end - 1:,}")
        if gone:
            print(f"{gone:,} offsets before the start of the log are gone: retention took them")
        if options.dry_run or not wanted:
            print("nothing was sent" if options.dry_run else "there is nothing in this range")
            return 0
        limit = limit_of(options.bootstrap, _extra(options), options.target)
        producer = brokers.producer(options.bootstrap, _extra(options), 300, limit)
        pacer = Pacer(options.rate, time.monotonic())
        delivery = Delivery(producer, options.target, limit)
        done = replaying.copy(reader, delivery, options.source, wanted, pacer, Progress())
    finally:
        reader.close()
    print(
        f"sent {done.sent:,} to {options.target}, acknowledged {done.acknowledged:,} "
        f"in {done.seconds:.1f} s ({done.acknowledged / max(done.seconds, 0.001):,.0f} records/s)"
    )
    for reason, count in sorted(done.failures.items()):
        print(f"{count:,} records failed: {reason}")
    if not done.whole:
        print(f"{done.acknowledged:,} acknowledged, {done.wanted - done.acknowledged:,} not")
    if done.missing:
        print("mend the cause, then send again (acknowledged records between come twice):")
    for number, (first, last) in sorted(done.missing.items()):
        again = ["kafka-metal", "replay", *_connection(options), "--source", options.source]
        again += ["--target", options.target, "--partition", str(number)]
        again += ["--from", str(first), "--until", str(last + 1)]
        print(f"  {shlex.join(again)}")
    return 0 if done.whole else 1


def _extra(options: argparse.Namespace) -> Mapping[str, str]:
    return brokers.read_properties(options.client_config) if options.client_config else {}


def _connection(options: argparse.Namespace) -> list[str]:
    """The words that lead to the same cluster."""
    files = ["--client-config", str(options.client_config)] if options.client_config else []
    return ["--bootstrap", options.bootstrap, *files]


def _hints(check: Check) -> list[str]:
    return [f"hint: {hint}" for hint in check.hints]


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _stop_signal() -> sending.Stop:
    """True after the first SIGINT or SIGTERM: the ledger is still written; the next one kills."""
    caught: list[int] = []

    def catch(number: int, _frame: object) -> None:
        caught.append(number)
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, catch)
    signal.signal(signal.SIGTERM, catch)
    return lambda: bool(caught)


def _send_summary(book: ledger.Ledger) -> list[str]:
    kinds = book.kinds()
    accepted = kinds["valid"] + kinds["fraud"]
    malformed = ", ".join(f"{kind} {kinds[kind]:,}" for kind in MALFORMED if kinds[kind])
    slowest = max((part.slowest_ack for part in book.partitions.values()), default=0.0)
    lines = [
        f"run {book.run}: sent {book.sent:,} of {book.requested:,} to {book.topic}, "
        f"acknowledged {book.acknowledged:,}, failed {book.failed:,}",
        f"expected: accepted {accepted:,} (frauds {kinds['fraud']:,}), "
        f"invalid {book.acknowledged - accepted:,}" + (f" ({malformed})" if malformed else ""),
        f"longest gap between acknowledgements {book.longest_gap:.2f} s, "
        f"slowest acknowledgement {slowest:.2f} s",
    ]
    for reason, failure in sorted(book.failures.items()):
        sequences = ", ".join(map(str, failure.sequences))
        lines.append(f"failed {failure.count:,}: {reason} (sequence {sequences})")
    return lines
