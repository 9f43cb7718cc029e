"""``python -m kafka_metal_dashboards FOLDER [--check]``: write one file for each dashboard."""

import sys
from pathlib import Path

from .boards import BOARDS
from .grafana import dashboard_text


def main(arguments: list[str]) -> int:
    """Write the dashboards; with --check only list files that differ from the boards."""
    folder = Path(arguments[0])
    files = {folder / f"{board.name}.json": dashboard_text(board) for board in BOARDS}
    if "--check" in arguments:
        existing = {path: path.read_text() for path in folder.glob("*.json")}
        wrong = sorted(
            str(path)
            for path in files.keys() | existing.keys()
            if files.get(path) != existing.get(path)
        )
        for name in wrong:
            print(
                f"{name} differs from its declaration in dashboards/: run make render",
                file=sys.stderr,
            )
        return 1 if wrong else 0
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.json"):
        path.unlink()
    for path, text in files.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
