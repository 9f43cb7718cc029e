"""Command line: run a plan on the measured machine, or write the report on the control node."""

from __future__ import annotations

import argparse
import fcntl
import signal
import sys
import time
from pathlib import Path
from typing import Any, List, Optional

from .plan import load
from .results import Results


def main(argv: Optional[List[str]] = None) -> int:
    """Run the command; return its exit code: 0 success, 1 failures, 75 already running."""
    parser = argparse.ArgumentParser(prog="kafka_metal_bench", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="run the measurements that results.json lacks")
    run.add_argument("--plan", type=Path, required=True)
    run.add_argument("--results", type=Path, required=True)
    run.add_argument(
        "--progress", type=Path, help="file to which a line is appended for each result"
    )
    report = verbs.add_parser("report", help="write README.md, report.html and the plots")
    report.add_argument("--results", type=Path, required=True)
    report.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(argv)
    return measure(options) if options.verb == "run" else write(options)


def measure(options: argparse.Namespace) -> int:
    """Run a plan; only one run at a time per results file."""
    from .runner import ExistingCluster, ScratchClusters

    plan = load(options.plan)
    # A terminated run cleans up like a failed one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Path(f"{options.results}.lock").open("w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"another benchmark is running with {options.results}", file=sys.stderr)
            return 75
        results = Results(options.results, plan.settings)
        results.put("software", plan.software)
        # Results may come from several runs.
        earlier = [each for each in results.data.get("commands", []) if each != plan.command]
        results.put("commands", [*earlier, plan.command])
        for part in ("rows", "variants", "knobs"):
            results.put(part, [to_mapping(each) for each in getattr(plan, part)])
        results.put("brokers", plan.brokers)
        log = progress_log(options.progress)
        runner_class = ExistingCluster if plan.variants[0].run == "existing" else ScratchClusters
        runner = runner_class(plan, results, log)
        runner.run()
        for failure in runner.failures:
            print(failure, file=sys.stderr)
    return 1 if runner.failures else 0


def to_mapping(thing: Any) -> Any:
    """Return a dataclass as a mapping."""
    from dataclasses import asdict

    return asdict(thing)


def progress_log(path: Optional[Path]) -> Any:
    """Return a function that prints a line with the time and appends it to a file."""

    def log(text: str) -> None:
        line = f"{time.strftime('%H:%M:%S')} {text}"
        print(line, flush=True)
        if path:
            with path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    return log


def write(options: argparse.Namespace) -> int:
    """Write the report from stored results, and print its paths."""
    from .report import write_report

    for path in write_report(options.results, options.output):
        print(path)
    return 0
