"""The command line ``kafka-metal``.

Exit code: 0 all is well; 1 something sent, counted or looked at is not; 2 a wish that cannot be
met (wrong arguments, a malformed file, a missing topic, no broker), with nothing sent.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kafka_metal_declarations.file_format import ALLOWED, delimiter_of

from kafka_metal_client import commands, replay
from kafka_metal_client.errors import ClientError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except ClientError as error:
        print(f"kafka-metal: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    return code


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(prog="kafka-metal", description="Clients of a platform.")
    verbs = top.add_subparsers(required=True, metavar="COMMAND")
    _produce(verbs.add_parser("produce", help="send a CSV or JSON Lines file to a topic"))
    _replay(verbs.add_parser("replay", help="send a part of a topic once more, to another topic"))
    demo = verbs.add_parser("demo", help="a stream of payments, counted record by record")
    demo_verbs = demo.add_subparsers(required=True, metavar="COMMAND")
    _send(demo_verbs.add_parser("send", help="send payments and write a ledger"))
    _reconcile(demo_verbs.add_parser("reconcile", help="count what the pipeline made of them"))
    ledger = verbs.add_parser("ledger", help="what was acknowledged, and where it has to be")
    ledger_verbs = ledger.add_subparsers(required=True, metavar="COMMAND")
    _verify(ledger_verbs.add_parser("verify", help="prove that each record is at its offset"))
    _content(verbs.add_parser("content", help="make declared topics, ACLs and passwords"))
    return top


def _connection(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…", help="some brokers")
    verb.add_argument(
        "--client-config", type=Path, metavar="FILE",
        help="more settings of librdkafka as key=value lines, such as credentials",
    )  # fmt: skip


def _produce(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("--topic", required=True)
    verb.add_argument("file", type=Path, metavar="FILE", help=ALLOWED)
    verb.add_argument("--key", metavar="FIELD", help="field whose value becomes the record's key")
    verb.add_argument("--rate", type=_rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument("--dry-run", action="store_true", help="validate and show the first record")
    verb.add_argument("--format", choices=("csv", "jsonl"), help="when the name does not tell")
    verb.add_argument("--delimiter", type=_delimiter, help="of a CSV; default: by the name")
    verb.add_argument("--null", metavar="TEXT", help="CSV value that means none, such as NA")
    verb.set_defaults(command=commands.produce)


def _replay(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("--source", required=True, metavar="TOPIC")
    verb.add_argument("--target", required=True, metavar="TOPIC")
    verb.add_argument("--from", dest="since", default="earliest", help=replay.ALLOWED)
    verb.add_argument("--until", default="latest", help="the same; latest: the end as it is now")
    verb.add_argument("--partition", type=int, action="append", default=[], help="of the source")
    verb.add_argument("--rate", type=_rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument("--dry-run", action="store_true", help="say what would be sent")
    verb.set_defaults(command=commands.replay)


def _send(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("--topic", default="payments")
    verb.add_argument("--count", type=int, default=100_000)
    verb.add_argument("--rate", type=_rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument("--seed", type=int, default=1)
    verb.add_argument("--run", help="name of the run, part of each paymentId; default: the time")
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument("--fraud-share", type=float, default=0.05, metavar="0..1")
    verb.add_argument("--malformed-share", type=float, default=0.02, metavar="0..1")
    verb.add_argument(
        "--delivery-timeout", type=float, default=300, metavar="SECONDS",
        help="until a record that nobody acknowledges is given up; default: 300",
    )  # fmt: skip
    verb.set_defaults(command=commands.send)


def _reconcile(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument("--archive", type=Path, required=True, metavar="DIR")
    verb.add_argument("--fraud-topic", default="fraudulent_payments")
    verb.add_argument("--invalid-topic", default="payments_invalid")
    verb.add_argument("--metrics-topic", default="payment_metrics")
    verb.add_argument("--window", type=int, default=60, metavar="SECONDS", help="of the metrics")
    verb.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    verb.add_argument(
        "--standstill", type=float, default=90, metavar="SECONDS",
        help="give up when nothing arrived for this long; default: 90",
    )  # fmt: skip
    verb.add_argument("--report", type=Path, metavar="FILE")
    verb.set_defaults(command=commands.reconcile)


def _verify(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("--topic", help="default: the ledger's")
    verb.add_argument("--ledger", type=Path, required=True, metavar="FILE")
    verb.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="of silence")
    verb.add_argument("--report", type=Path, metavar="FILE", help="the outcome as JSON")
    verb.set_defaults(command=commands.verify)


def _content(verb: argparse.ArgumentParser) -> None:
    _connection(verb)
    verb.add_argument("file", type=Path, metavar="FILE", help="topics, users and acls, as JSON")
    verb.add_argument("--passwords", type=Path, metavar="FILE", help="by user, as JSON")
    verb.set_defaults(command=commands.content)


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 <= rate < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: allowed are 0 (no limit) and above")
    return rate


def _delimiter(text: str) -> str:
    try:
        return delimiter_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
