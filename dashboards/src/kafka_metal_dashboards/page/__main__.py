"""``python -m kafka_metal_dashboards.page STATE OUT [--hours 1] [--boards overview,disks|all]``.

STATE is the answer of ``make status`` as JSON: it says where Prometheus is.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..boards import BOARDS
from ..model import Board
from .asking import AskError, Prometheus, Span
from .render import page

POINTS = 240
SCRAPE_S = 15.0


def prometheus_of(state: Path) -> Prometheus:
    """Where the state says that Prometheus is; raises AskError."""
    try:
        found = json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AskError(f"{state}: {error}: make status writes it") from error
    for service in found["services"]:
        if service["name"] == "prometheus":
            return Prometheus(
                service["endpoint"], found["cluster"], login_of(str(found.get("access", "")))
            )
    raise AskError("nobody watches this cluster: the group monitoring of the inventory is empty")


def login_of(access: str) -> str:
    """Name and password of the operator beside his settings for clients; empty without any."""
    file = Path(access).parent / "monitoring-web"
    if not access or not file.exists():
        return ""
    try:
        # A line as curl reads it: user = "name:password".
        return file.read_text(encoding="utf-8").split('"')[1]
    except (OSError, IndexError) as error:
        raise AskError(f"{file}: {error}: make up writes it") from error


def chosen(words: str) -> Sequence[Board]:
    """Boards by name; raises AskError on an unknown one."""
    by_name = {board.name: board for board in BOARDS}
    names = list(by_name) if words == "all" else words.split(",")
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise AskError(f"no board {unknown[0]}; there are {', '.join(by_name)}, and all")
    return [by_name[name] for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, draw, write."""
    parser = argparse.ArgumentParser(prog="page", description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--boards", default="overview")
    given = parser.parse_args(arguments)
    end, length = time.time(), given.hours * 3600
    span = Span(end - length, end, max(SCRAPE_S, length / POINTS))
    try:
        text = page(chosen(given.boards), prometheus_of(given.state), span)
    except AskError as error:
        print(error, file=sys.stderr)
        return 1
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(text, encoding="utf-8")
    print(f"{given.out}: {len(text) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
