"""Positions of the fields of one CSV row, and of its first quoting error.

Python's csv module is fast but does not report columns. This module scans only a row that is
already known to be wrong.
"""

from dataclasses import dataclass, field

from kafka_metal_declarations.text_file import Fault, quote_shortened

QUOTE = '"'
Place = tuple[int, int]


@dataclass
class Scan:
    """The result of a scan; places are (line within the row from 0, column from 1)."""

    starts: list[Place] = field(default_factory=list)
    finish: Place = (0, 1)
    # The first quoting error: its place, the text from there on, and what is allowed.
    broken: tuple[Place, str, str] | None = None

    def place(self, line: int, index: int) -> Place:
        """Return line and column of a field of a row that begins in ``line``."""
        within, column = self.starts[index] if index < len(self.starts) else self.finish
        return line + within, column

    def end(self, line: int) -> Place:
        """Return line and column after the row's last character."""
        return line + self.finish[0], self.finish[1]

    def fault(self, line: int, csv_error: str) -> Fault:
        """Return the quoting error as a fault; ``csv_error`` is used if the scan found none."""
        if self.broken is None:
            return Fault(line, 1, f"a row that is not CSV ({csv_error})", "CSV as in RFC 4180")
        (within, column), found, allowed = self.broken
        return Fault(line + within, column, found, allowed)


def scan(raw: list[str], delimiter: str) -> Scan:
    """Scan the lines of one row; several if a quoted field has line breaks."""
    result = Scan(starts=[(0, 1)])
    opened: Place | None = None
    closed = False
    fresh = True
    for number, line in enumerate(raw):
        body = line.rstrip("\r\n")
        result.finish = (number, len(body) + 1)
        for column, character in enumerate(body, start=1):
            if opened is not None and not closed:
                closed = character == QUOTE
            elif closed and character == QUOTE:
                closed = False
            elif character == delimiter:
                opened, closed, fresh = None, False, True
                result.starts.append((number, column + 1))
                continue
            elif closed:
                text = quote_shortened(body[column - 1 :])
                allowed = "a delimiter or the line's end after a closing quote"
                result.broken = ((number, column), text, allowed)
                return result
            elif character == QUOTE and fresh:
                opened = (number, column)
            elif character == "\r":
                found = "a carriage return inside a line"
                result.broken = ((number, column), found, "lines that end in LF or CR LF")
                return result
            fresh = False
    if opened is not None and not closed:
        found = (
            f"{quote_shortened(raw[opened[0]][opened[1] - 1 :].rstrip())} without a closing quote"
        )
        result.broken = (opened, found, "a closed text; a quote inside is written twice")
    return result
