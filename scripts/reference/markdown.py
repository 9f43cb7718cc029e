"""Parts of a Markdown page."""

from collections.abc import Iterable, Sequence


def code(value: object) -> str:
    """``value`` as code; empty stays empty."""
    text = str(value)
    return f"`{text}`" if text else ""


def cell(value: object) -> str:
    """``value`` in one cell of a table."""
    return " ".join(str(value).split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; every row has as many cells as ``head``."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(cell, line)) + " |\n" for line in lines)
