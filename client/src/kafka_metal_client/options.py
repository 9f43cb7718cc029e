"""Options that several commands have, and what follows from them."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from kafka_metal_client import brokers


def add_connection(verb: argparse.ArgumentParser) -> None:
    """Add the options that lead to a cluster."""
    verb.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…", help="some brokers")
    verb.add_argument(
        "--client-config", type=Path, metavar="FILE",
        help="more settings of librdkafka as key=value lines, such as credentials",
    )  # fmt: skip


def client_settings(options: argparse.Namespace) -> Mapping[str, str]:
    """Settings of the file that ``--client-config`` names."""
    return brokers.read_properties(options.client_config) if options.client_config else {}


def connection_arguments(options: argparse.Namespace) -> list[str]:
    """Arguments that lead another command to the same cluster."""
    files = ["--client-config", str(options.client_config)] if options.client_config else []
    return ["--bootstrap", options.bootstrap, *files]


def rate(text: str) -> float:
    """Records per second; 0 is no limit."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: allowed are 0 (no limit) and above")
    return number
