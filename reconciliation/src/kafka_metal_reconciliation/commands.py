"""The functions behind ``demo`` and ``ledger``: parsed arguments in, exit code out."""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

from kafka_metal_client import brokers
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.options import client_settings
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.report import counts
from kafka_metal_client.sizes import Limit
from kafka_metal_client.stop_signal import stop_signal
from kafka_metal_client.tables import Paint

from kafka_metal_reconciliation import ledger
from kafka_metal_reconciliation import send as sending
from kafka_metal_reconciliation import verify as verifying
from kafka_metal_reconciliation.atomic_write import write_atomically
from kafka_metal_reconciliation.payments import MALFORMED, payments, plan_kinds
from kafka_metal_reconciliation.reconcile import Outputs, Reconciliation, Timeouts


def send(options: argparse.Namespace) -> int:
    """Send payments and write the ledger."""
    run = options.run or f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    try:
        kinds = plan_kinds(
            options.count, options.fraud_share, options.malformed_share, options.seed
        )
    except ValueError as error:
        raise ClientError(str(error)) from error
    extra = client_settings(options)
    connect = partial(brokers.producer, options.bootstrap, extra, options.delivery_timeout)
    delivery = Delivery(connect, options.topic, Limit(), options.delivery_timeout)
    brokers.read_partitions(delivery.producer, [options.topic])
    book = ledger.Ledger(run, options.topic, options.seed, options.count)
    sender = sending.Sender(delivery, book, Progress())
    stream = payments(run, kinds, options.seed, now=lambda: datetime.now(UTC))
    with stop_signal() as stopped:
        try:
            sender.send(stream, Pacer(options.rate, time.monotonic()), stopped)
            with closing(brokers.consumer(options.bootstrap, extra)) as reader:
                sending.finish(sender, reader, stall_timeout=60)
        finally:
            # Also after an error: keep the acknowledgements.
            ledger.save(book, options.ledger)
    print("\n".join(_send_summary(book)))
    return 0 if book.acknowledged == options.count else 1


def reconcile(options: argparse.Namespace) -> int:
    """Compare a run's ledger with the outputs, and write the report."""
    book = ledger.load(options.ledger)
    outputs = Outputs(
        options.archive,
        options.fraud_topic,
        options.invalid_topic,
        options.metrics_topic,
        options.window,
    )
    work = Reconciliation(book, outputs, Progress())
    with closing(brokers.consumer(options.bootstrap, client_settings(options))) as reader:
        report = work.run(reader, Timeouts(options.timeout, options.stall_timeout))
    if options.report:
        write_atomically(options.report, _json(report))
    print("\n".join(counts(report, Paint.for_stream(sys.stdout))))
    differences = report["differences"]
    assert isinstance(differences, list)
    for message in differences:
        print(f"difference: {message}")
    return 0 if report["reconciled"] else 1


def verify(options: argparse.Namespace) -> int:
    """Check that each acknowledged record is at its offset."""
    book = ledger.load(options.ledger)
    book.topic = options.topic or book.topic
    with closing(brokers.consumer(options.bootstrap, client_settings(options))) as reader:
        result = verifying.verify(book, reader, options.timeout)
    if options.report:
        write_atomically(options.report, _json(result.to_json()))
    print("\n".join(result.messages()))
    return 0 if result.ok else 1


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


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
