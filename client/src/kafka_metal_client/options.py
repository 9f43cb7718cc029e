"""Options that several commands share, and the settings derived from them."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from kafka_metal_client import client_file
from kafka_metal_client.delivery import LONGEST_TIMEOUT

NAME = "kafka-metal"
# librdkafka counts milliseconds in 32 bits.
LONGEST_SECONDS = 2_147_483


def add_connection(verb: argparse.ArgumentParser) -> None:
    """Add the options for the connection to a cluster."""
    verb.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…", help="bootstrap servers")
    verb.add_argument(
        "--client-config", type=Path, metavar="FILE",
        help="more librdkafka settings as key=value lines, such as credentials",
    )  # fmt: skip


def program() -> str:
    """Return the command that started this client: its path, since it may not be on the PATH."""
    return sys.argv[0] if Path(sys.argv[0]).name == NAME else NAME


def client_settings(options: argparse.Namespace) -> Mapping[str, str]:
    """Return the settings in the file of ``--client-config``; ClientError if it is unusable."""
    return client_file.settings(options.client_config) if options.client_config else {}


def connection_arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments with which another command connects to the same cluster."""
    files = ["--client-config", str(options.client_config)] if options.client_config else []
    return ["--bootstrap", options.bootstrap, *files]


def rate(text: str) -> float:
    """Parse records per second; 0 means no limit."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: allowed are 0 (no limit) and above")
    return number


def seconds(text: str, longest: float = LONGEST_SECONDS) -> float:
    """Parse a time limit in seconds."""
    number = float(text)
    if not 0 < number <= longest:
        raise argparse.ArgumentTypeError(f"{text}: allowed are seconds above 0, up to {longest:,}")
    return number


def delivery_seconds(text: str) -> float:
    """Parse the seconds until an unacknowledged record fails."""
    return seconds(text, LONGEST_TIMEOUT)
