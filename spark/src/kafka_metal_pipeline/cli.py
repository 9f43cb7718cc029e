"""The command ``kafka-metal-pipeline``."""

import argparse
import logging
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kafka_metal_pipeline import declaration as declarations
from kafka_metal_pipeline import infer
from kafka_metal_pipeline.declared_outputs import INVALID
from kafka_metal_pipeline.declared_site import missing_to_run
from kafka_metal_pipeline.keys import DeclarationError, Problem
from kafka_metal_pipeline.model import Declaration

REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)s %(message)s")
    # Spark's client reports every call it makes and every signal that ends one.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    try:
        return int(options.command(options))
    except (DeclarationError, infer.SampleError) as error:
        print(error, file=sys.stderr)
        return REFUSED


def run(options: argparse.Namespace) -> int:
    """Run the pipeline of a file."""
    found = load(options.file)
    if options.name is None and len(found) == 1:
        options.name = next(iter(found))
    if options.name not in found:
        raise DeclarationError(
            [Problem("", "--name", str(options.name), f"one of {', '.join(found)}")]
        )
    declared = found[options.name]
    archives = any(output.path for output in declared.outputs)
    if missing := missing_to_run(declared.site, archives):
        raise DeclarationError(
            Problem(declared.name, key, "nothing", "a value, to run") for key in missing
        )
    return _drive(declared)


def check(options: argparse.Namespace) -> int:
    """Say whether declarations can run; with ``--statements``, whether Spark takes their SQL."""
    found = {name: each for file in options.files for name, each in load(file).items()}
    code = 0
    for declared in found.values():
        if options.statements:
            from kafka_metal_pipeline import analysis

            if problem := analysis.problem_of(declared):
                print(problem, file=sys.stderr)
                code = REFUSED
                continue
        topics = declarations.topics_of(declared)
        print(
            f"pipeline {declared.name}: reads {', '.join(topics['reads'])}; "
            f"writes {', '.join(topics['writes'])}"
        )
    return code


def infer_schema(options: argparse.Namespace) -> int:
    """Print the schema of a sample."""
    print(infer.schema_of(options.sample, options.rows, options.null))
    return 0


def load(file: Path) -> dict[str, Declaration]:
    """Pipelines of a YAML file: one with its ``name``, or several by name."""
    import yaml

    try:
        content: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DeclarationError([Problem("", str(file), str(error), "a YAML file")]) from error
    if isinstance(content, Mapping) and "source" in content:
        name = str(content.get("name") or file.stem)
        content = {name: content}
    return declarations.parse_all(infer.with_schemas(content, file.parent))


def _drive(declared: Declaration) -> int:
    # Spark is loaded only where a pipeline runs: the other commands work without it.
    from kafka_metal_pipeline import driver
    from kafka_metal_pipeline.status import Board, serve

    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    board = Board(declared.name, [*(output.name for output in declared.outputs), INVALID])
    if declared.site.status:
        try:
            serve(board, declared.site.status)
        except OSError as error:
            found = f"{declared.site.status} ({error.strerror})"
            problem = Problem(declared.name, "status", found, "an address of this host, unused")
            raise DeclarationError([problem]) from error
    return driver.run(declared, board, stopping)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kafka-metal-pipeline", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    running = commands.add_parser("run", help="run a pipeline until it is told to stop")
    running.add_argument("file", type=Path, help="YAML file with the declaration")
    running.add_argument("--name", help="which pipeline, when the file holds several")
    running.set_defaults(command=run)
    checking = commands.add_parser("check", help="say what is wrong with declarations")
    checking.add_argument("files", type=Path, nargs="+", metavar="FILE")
    checking.add_argument(
        "--statements", action="store_true", help="have Spark read rules and statements too"
    )
    checking.set_defaults(command=check)
    inferring = commands.add_parser("infer", help="print the schema of a CSV or JSON-lines file")
    inferring.add_argument("sample", type=Path)
    inferring.add_argument(
        "--rows", type=int, default=infer.ROWS, help="rows to read (default: %(default)s)"
    )
    inferring.add_argument("--null", default="", help="what stands for no value in CSV, as NA")
    inferring.set_defaults(command=infer_schema)
    return parser


if __name__ == "__main__":
    sys.exit(main())
