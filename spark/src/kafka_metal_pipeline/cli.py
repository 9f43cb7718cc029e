"""Check and run Spark streaming pipelines from their declarations."""

import argparse
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from kafka_metal_declarations import declaration as declarations
from kafka_metal_declarations import file_format, sample
from kafka_metal_declarations.declaration_file import load
from kafka_metal_declarations.declared_site import missing_to_run
from kafka_metal_declarations.keys import DeclarationError, Problem
from kafka_metal_declarations.model import Declaration

from kafka_metal_pipeline import checkpoint as checkpoints
from kafka_metal_pipeline import checkpoint_check
from kafka_metal_pipeline.declared_file import DeclaredFile
from kafka_metal_pipeline.exit_codes import DONE, REFUSED
from kafka_metal_pipeline.starts import FailedStarts
from kafka_metal_pipeline.storage import Files


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)s %(message)s")
    # py4j logs every call and signal. PySpark logs each SQL error again as JSON with its plan.
    for name in ("py4j", "SQLQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return int(options.command(options))
    except (DeclarationError, sample.SampleError) as error:
        print(error, file=sys.stderr)
        return REFUSED


def run(options: argparse.Namespace) -> int:
    """Run the pipeline of a file as a streaming driver."""
    # Executors and the history server share directories as other users of the same group.
    os.umask(0o007)
    file = DeclaredFile(options.file, partial(_ready, options))
    work = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    starts = Path(work) / f"{file.declaration.name}.starts.json" if work else None
    return _drive(file, FailedStarts.read(starts, file.digest))


def _ready(options: argparse.Namespace, text: bytes | None = None) -> Declaration:
    """Return the pipeline of a file; DeclarationError if a value needed to run is missing.

    ``text``: what the file contains, if it has been read already.
    """
    declared = _chosen(options, text)
    if missing := missing_to_run(declared):
        raise DeclarationError(
            Problem(declared.name, key, "nothing", "a value, to run") for key in missing
        )
    return declared


def _chosen(options: argparse.Namespace, text: bytes | None = None) -> Declaration:
    """Return the only pipeline of a file, or the named one."""
    found = load(options.file, text)
    if options.name is None and len(found) == 1:
        options.name = next(iter(found))
    if options.name not in found:
        raise DeclarationError(
            [Problem("", "--name", str(options.name), f"one of {', '.join(found)}")]
        )
    return found[options.name]


def check(options: argparse.Namespace) -> int:
    """Check declarations; with options also their SQL and checkpoints."""
    found = {name: each for file in options.files for name, each in load(file).items()}
    wrong: list[str] = []
    if options.checkpoints:
        found_in_checkpoints = checkpoint_check.findings(found.values(), options.running)
        wrong += found_in_checkpoints.refused
        for line in (*found_in_checkpoints.damaged, *checkpoint_check.not_local(found.values())):
            print(f"note: {line}")
    if options.statements:
        from kafka_metal_pipeline import analysis

        wrong += map(str, analysis.find_problems(list(found.values())))
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
        return REFUSED
    for declared in found.values():
        topics = declarations.pipeline_topics(declared)
        print(
            f"pipeline {declared.name}: reads {', '.join(topics['reads'])}; "
            f"writes {', '.join(topics['writes'])}"
        )
    return DONE


def plan(options: argparse.Namespace) -> int:
    """Print for every output whether its checkpoint is valid; start nothing."""
    declared = _chosen(options)
    code = DONE
    for name, checkpoint in checkpoints.all_checkpoints(declared).items():
        result = checkpoint.result(_files(checkpoint.location))
        print(f"pipeline {declared.name}: outputs.{name}: {result.state}: {result.reason}")
        code = max(code, REFUSED if result.state == checkpoints.INVALID else DONE)
    return code


def batch(options: argparse.Namespace) -> int:
    """Run a pipeline once over all stored records."""
    declared = _ready(options)
    from kafka_metal_pipeline import batches

    return batches.run(declared)


def repair(options: argparse.Namespace) -> int:
    """Repair invalid records and send them back to their topic."""
    declared = _ready(options)
    from kafka_metal_pipeline import batches

    return batches.repair(declared, options.set, options.where, options.dry_run)


def infer_schema(options: argparse.Namespace) -> int:
    """Print the schema inferred from a sample."""
    print(sample.infer_schema(options.sample, options.null, options.delimiter, options.rows))
    return DONE


def _drive(file: DeclaredFile, starts: FailedStarts) -> int:
    # Spark is imported only here: other commands work without it.
    from kafka_metal_pipeline import driver
    from kafka_metal_pipeline.status import Board, serve

    declared, stopping = file.declaration, threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    board = Board(declared.name, list(checkpoints.all_checkpoints(declared)), starts)
    if declared.site.status:
        credentials_file = _status_credentials_file(declared)
        try:
            serve(board, declared.site.status, credentials_file)
        except OSError as error:
            found = f"{declared.site.status} ({error.strerror})"
            problem = Problem(declared.name, "status", found, "an address of this host, unused")
            raise DeclarationError([problem]) from error
    return driver.run(file, board, stopping)


def _status_credentials_file(declared: Declaration) -> Path | None:
    """Return the file with the credentials of status clients; None without authentication."""
    found = declared.site.status_credentials_file
    if not found:
        return None
    try:
        credentials = Path(found).read_bytes().strip()
    except OSError as error:
        credentials, found = b"", f"{found} ({error.strerror})"
    if not credentials:
        allowed = "a file with name:password in base64"
        raise DeclarationError([Problem(declared.name, "status_credentials_file", found, allowed)])
    return Path(found)


def _files(location: str) -> Files:
    """Return the file system of a checkpoint; a local one needs no Spark."""
    if location.startswith(("/", "file:")):
        from kafka_metal_pipeline.local_files import LocalFiles

        return LocalFiles()
    from pyspark.sql import SparkSession

    from kafka_metal_pipeline.storage import Storage

    return Storage(SparkSession.builder.master("local[1]").getOrCreate())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kafka-metal-pipeline", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    running = commands.add_parser("run", help="run a pipeline until SIGTERM or SIGINT")
    running.add_argument("file", type=Path, help="YAML file with the declaration")
    running.add_argument("--name", help="which pipeline, if the file has several")
    running.set_defaults(command=run)
    for name, command, help_text in (
        ("plan", plan, "print whether each output's checkpoint is valid"),
        ("batch", batch, "run a pipeline once over all stored records"),
        ("repair", repair, "repair invalid records and send them back to their topic"),
    ):
        each = commands.add_parser(name, help=help_text)
        each.add_argument("file", type=Path, help="YAML file with the declaration")
        each.add_argument("--name", help="which pipeline, if the file has several")
        each.set_defaults(command=command)
    each.add_argument(
        "--set",
        default="raw",
        metavar="SQL",
        help="expression for the new value; raw is the old one (default: raw)",
    )
    each.add_argument(
        "--where",
        default="true",
        metavar="SQL",
        help="condition over reason, topic, partition, offset, timestamp and raw",
    )
    each.add_argument("--dry-run", action="store_true", help="count records, send nothing")
    checking = commands.add_parser("check", help="check declarations and print all mistakes")
    checking.add_argument("files", type=Path, nargs="+", metavar="FILE")
    checking.add_argument(
        "--statements", action="store_true", help="also check rules and statements with Spark"
    )
    checking.add_argument(
        "--checkpoints", action="store_true", help="also check that the checkpoints are valid"
    )
    checking.add_argument(
        "--running",
        action="append",
        default=[],
        metavar="NAME",
        help="a pipeline whose driver runs: only its changed outputs are checked",
    )
    checking.set_defaults(command=check)
    inferring = commands.add_parser("infer", help="print the schema of a CSV or JSON-lines file")
    inferring.add_argument("sample", type=Path)
    inferring.add_argument(
        "--rows", type=int, default=sample.ROWS, help="rows to read (default: %(default)s)"
    )
    inferring.add_argument("--null", default="", help="CSV text that means null, such as NA")
    inferring.add_argument(
        "--delimiter", type=file_format.parse_delimiter, help="of a CSV; default: by the file name"
    )
    inferring.set_defaults(command=infer_schema)
    return parser


if __name__ == "__main__":
    sys.exit(main())
