"""The command line: run a plan on the measured machine, write the report on the control node."""

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
    """Do what the words say; the exit code tells."""
    parser = argparse.ArgumentParser(prog="kafka_metal_bench", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="measure what results.json lacks")
    run.add_argument("--plan", type=Path, required=True)
    run.add_argument("--results", type=Path, required=True)
    run.add_argument("--progress", type=Path, help="file that gets a line for each figure")
    report = verbs.add_parser("report", help="write README.md, report.html and the plots")
    report.add_argument("--results", type=Path, required=True)
    report.add_argument("--output", type=Path, required=True)
    words = parser.parse_args(argv)
    return measure(words) if words.verb == "run" else write(words)


def measure(words: argparse.Namespace) -> int:
    """Run a plan; one run at a time in a directory."""
    from .runner import Existing, Scratch

    plan = load(words.plan)
    # A terminated run clears up like one that fails.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Path(f"{words.results}.lock").open("w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"another benchmark writes {words.results}", file=sys.stderr)
            return 75
        results = Results(words.results, plan.settings)
        results.put("software", plan.software)
        # A report may be the work of several runs.
        earlier = [each for each in results.data.get("commands", []) if each != plan.command]
        results.put("commands", [*earlier, plan.command])
        for part in ("rows", "variants", "knobs"):
            results.put(part, [vars_of(each) for each in getattr(plan, part)])
        results.put("brokers", plan.brokers)
        say = speaker(words.progress)
        way = Existing if plan.variants[0].run == "existing" else Scratch
        runner = way(plan, results, say)
        runner.run()
        for failure in runner.failures:
            print(failure, file=sys.stderr)
    return 1 if runner.failures else 0


def vars_of(thing: Any) -> Any:
    """A dataclass as plain data."""
    from dataclasses import asdict

    return asdict(thing)


def speaker(path: Optional[Path]) -> Any:
    """Prints a line with the time, and appends it to a file that one can follow."""

    def say(text: str) -> None:
        line = f"{time.strftime('%H:%M:%S')} {text}"
        print(line, flush=True)
        if path:
            with path.open("a", encoding="utf-8") as log:
                log.write(line + "\n")

    return say


def write(words: argparse.Namespace) -> int:
    """Write the report."""
    from .report import write_report

    for path in write_report(words.results, words.output):
        print(path)
    return 0
