"""``python -m kafka_metal_dashboards.page STATE OUT [--hours 1] [--boards overview,disks|all]``.

STATE is the JSON file written by ``make status``; it has the endpoint of Prometheus.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..boards import BOARDS
from ..model import Board
from .prometheus_api import Prometheus, QueryError, Span
from .render import page

POINTS = 240
SCRAPE_S = 15.0


def read_prometheus(state: Path) -> Prometheus:
    """Return the Prometheus of the state file; raise QueryError."""
    try:
        found = json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise QueryError(f"{state}: {error}: make status writes it") from error
    for service in found["services"]:
        if service["name"].partition("@")[0] == "prometheus":
            return Prometheus(
                service["endpoint"], found["cluster"], read_login(str(found.get("access", "")))
            )
    raise QueryError("no Prometheus: the group monitoring of the inventory is empty")


def read_login(access: str) -> str:
    """Return the operator's name:password from the folder of client settings; empty without one."""
    file = Path(access).parent / "monitoring-web"
    if not access or not file.exists():
        return ""
    try:
        # A line of a curl configuration: user = "name:password".
        return file.read_text(encoding="utf-8").split('"')[1]
    except (OSError, IndexError) as error:
        raise QueryError(f"{file}: {error}: make up writes it") from error


def select_boards(value: str) -> Sequence[Board]:
    """Return boards by their comma-separated names, or all; raise QueryError for unknown names."""
    by_name = {board.name: board for board in BOARDS}
    names = list(by_name) if value == "all" else value.split(",")
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise QueryError(f"unknown board {unknown[0]}; allowed: {', '.join(by_name)}, all")
    return [by_name[name] for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page to a file."""
    parser = argparse.ArgumentParser(prog="page", description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--boards", default="overview")
    options = parser.parse_args(arguments)
    end, length = time.time(), options.hours * 3600
    span = Span(end - length, end, max(SCRAPE_S, length / POINTS))
    try:
        text = page(select_boards(options.boards), read_prometheus(options.state), span)
    except QueryError as error:
        print(error, file=sys.stderr)
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(f"{options.out}: {len(text) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
