"""The command line ``kafka-metal``.

Exit code: 0 success; 1 some records were not sent or are missing from an output, also if the
source of a replay stalls, or a file of the rest cannot be written, after records were sent; 2 wrong
arguments, a malformed file, a missing topic or no reachable broker, with nothing sent; 130 Ctrl-C
before or after records are sent. While they are sent, Ctrl-C and SIGTERM only stop that: the code
is 1.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from kafka_metal_declarations.file_format import ALLOWED, parse_delimiter

from kafka_metal_client import commands, replay
from kafka_metal_client.errors import ClientError
from kafka_metal_client.options import add_connection, rate

# Entry points of packages that depend on this one and add commands, such as `demo` and `ledger` of
# kafka-metal-reconciliation. Each is called with the argparse subparsers.
MORE_COMMANDS = "kafka_metal.commands"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except ClientError as error:
        print(f"kafka-metal: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Python writes the rest of the output at the end of the process, too.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 1
    except KeyboardInterrupt:
        print("kafka-metal: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    return code


def parser() -> argparse.ArgumentParser:
    """Return the parser with all commands and their options."""
    top = argparse.ArgumentParser(prog="kafka-metal", description="Client tools of kafka-metal.")
    verbs = top.add_subparsers(required=True, metavar="COMMAND")
    _produce(verbs.add_parser("produce", help="send a CSV or JSON Lines file to a topic"))
    _replay(verbs.add_parser("replay", help="copy a range of a topic to another topic"))
    _content(verbs.add_parser("content", help="create declared topics, ACLs and passwords"))
    for each in sorted(entry_points(group=MORE_COMMANDS), key=lambda point: point.name):
        each.load()(verbs)
    return top


def _produce(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("--topic", required=True)
    verb.add_argument("file", type=Path, metavar="FILE", help=ALLOWED)
    verb.add_argument("--key", metavar="FIELD", help="field whose value becomes the record's key")
    verb.add_argument("--rate", type=rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument("--dry-run", action="store_true", help="validate and print the first record")
    verb.add_argument(
        "--format", choices=("csv", "jsonl"), help="if the file name does not end in a known suffix"
    )
    verb.add_argument("--delimiter", type=_delimiter, help="of a CSV; default: by the file name")
    verb.add_argument("--null", metavar="TEXT", help="CSV value that means null, such as NA")
    verb.add_argument(
        "--registry", type=Path, metavar="FILE",
        help="encode values by a schema registry: settings of Confluent's client, as JSON",
    )  # fmt: skip
    verb.add_argument(
        "--subject", help="with --registry; its latest version is used; default: TOPIC-value"
    )
    verb.set_defaults(command=commands.produce)


def _replay(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("--source", required=True, metavar="TOPIC")
    verb.add_argument("--target", required=True, metavar="TOPIC")
    verb.add_argument("--from", dest="since", default="earliest", help=replay.ALLOWED)
    verb.add_argument("--until", default="latest", help="same forms; latest: the current end")
    verb.add_argument("--partition", type=int, action="append", default=[], help="of the source")
    verb.add_argument("--rate", type=rate, default=0.0, help="records per second; 0: no limit")
    verb.add_argument(
        "--stamp", choices=replay.STAMPS, default="source",
        help="time of the copies: that of the source record (source), or the current time (now)",
    )  # fmt: skip
    verb.add_argument("--dry-run", action="store_true", help="print the ranges, send nothing")
    verb.set_defaults(command=commands.replay)


def _content(verb: argparse.ArgumentParser) -> None:
    add_connection(verb)
    verb.add_argument("file", type=Path, metavar="FILE", help="topics, users and acls, as JSON")
    verb.add_argument("--passwords", type=Path, metavar="FILE", help="passwords by user, as JSON")
    verb.set_defaults(command=commands.content)


def _delimiter(text: str) -> str:
    try:
        return parse_delimiter(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
