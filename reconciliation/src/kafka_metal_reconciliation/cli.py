"""The commands ``demo`` and ``ledger`` that this package adds to ``kafka-metal``."""

import argparse
from pathlib import Path
from typing import Any

from kafka_metal_client.options import add_connection, delivery_seconds, rate, seconds

from kafka_metal_reconciliation import commands


def add_commands(verbs: Any) -> None:
    """Add the commands to the argparse subparsers; entry point of ``kafka_metal.commands``."""
    demo = verbs.add_parser("demo", help="send generated payments and reconcile each record")
    demo_verbs = demo.add_subparsers(required=True, metavar="COMMAND")
    _send(demo_verbs.add_parser("send", help="send payments and write a ledger"))
    _reconcile(demo_verbs.add_parser("reconcile", help="compare the pipeline's outputs with it"))
    ledger = verbs.add_parser("ledger", help="check acknowledged records in the log")
    ledger_verbs = ledger.add_subparsers(required=True, metavar="COMMAND")
    _verify(ledger_verbs.add_parser("verify", help="check that each record is at its offset"))


def _send(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("--topic", default="payments")
    verb.add_argument("--count", type=int, default=100_000)
    verb.add_argument("--rate", type=rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument("--seed", type=int, default=1)
    verb.add_argument("--run", help="name of the run, part of each paymentId; default: the time")
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument("--fraud-share", type=float, default=0.05, metavar="0..1")
    verb.add_argument("--malformed-share", type=float, default=0.02, metavar="0..1")
    verb.add_argument(
        "--delivery-timeout", type=delivery_seconds, default=300, metavar="SECONDS",
        help="until an unacknowledged record fails, up to 500; default: 300",
    )  # fmt: skip
    verb.set_defaults(command=commands.send)


def _reconcile(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument("--archive", type=Path, required=True, metavar="DIR")
    verb.add_argument("--fraud-topic", default="fraudulent_payments")
    verb.add_argument("--invalid-topic", default="payments_invalid")
    verb.add_argument("--metrics-topic", default="payment_metrics")
    verb.add_argument("--window", type=int, default=60, metavar="SECONDS", help="metrics window")
    verb.add_argument("--timeout", type=seconds, default=300, metavar="SECONDS")
    verb.add_argument(
        "--stall-timeout", type=seconds, default=90, metavar="SECONDS",
        help="give up after this time without progress; default: 90",
    )  # fmt: skip
    verb.add_argument("--report", type=Path, metavar="FILE", help="write the report as JSON")
    verb.set_defaults(command=commands.reconcile)


def _verify(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("--topic", help="default: the ledger's")
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument(
        "--timeout", type=seconds, default=60, metavar="SECONDS", help="without any record"
    )
    verb.add_argument("--report", type=Path, metavar="FILE", help="write the result as JSON")
    verb.set_defaults(command=commands.verify)
