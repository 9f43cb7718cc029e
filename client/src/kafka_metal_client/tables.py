"""Plain text tables; colours only on terminals."""

import os
from collections.abc import Sequence
from typing import TextIO

GREEN, YELLOW, RED, BOLD = "32", "33", "31", "1"


class Paint:
    """Adds terminal colours to text if enabled."""

    def __init__(self, enabled: bool) -> None:
        """``enabled``: whether the output is a terminal that displays colours."""
        self._enabled = enabled

    @classmethod
    def for_stream(cls, stream: TextIO) -> "Paint":
        """Enabled for a terminal, unless NO_COLOR is set."""
        return cls(stream.isatty() and "NO_COLOR" not in os.environ)

    def __call__(self, text: str, colour: str) -> str:
        """Return ``text`` in a colour."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self._enabled and text else text


Cell = str | tuple[str, str]


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], paint: Paint) -> list[str]:
    """Return aligned lines; a column whose cells are all numbers is right-aligned.

    A cell is a text, or (text, colour). Column widths exclude colour codes.
    """
    texts = [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    numeric = [all(map(is_number, column)) for column in zip(*texts, strict=True)]
    numeric = numeric or [False] * len(header)
    lines = [paint(_line(header, widths, numeric).rstrip(), BOLD)]
    for row, plain in zip(rows, texts, strict=True):
        padded = [_pad(*cell) for cell in zip(plain, widths, numeric, strict=True)]
        colours = [None if isinstance(cell, str) else cell[1] for cell in row]
        cells = [
            text if colour is None else paint(text, colour)
            for text, colour in zip(padded, colours, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def is_number(text: str) -> bool:
    """Whether a cell is a number, a number with a unit, or empty."""
    head, _, unit = text.partition(" ")
    digits = head.replace(",", "").replace(".", "", 1).replace("-", "", 1)
    return text in ("", "-") or (digits.isdigit() and unit in ("", "s", "ms"))


def number(value: object) -> str:
    """Return a count with thousands separated, or ``-`` if it is not a number."""
    return f"{value:,.0f}" if isinstance(value, int | float) else "-"


def _line(cells: Sequence[str], widths: list[int], numeric: list[bool]) -> str:
    return "  ".join(_pad(*cell) for cell in zip(cells, widths, numeric, strict=True))


def _pad(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
