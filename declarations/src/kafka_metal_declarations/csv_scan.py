"""Where in the lines of one CSV row its fields begin, and where its quoting breaks.

Python's csv module is fast and says what is wrong, but not in which column; this looks again at
the one row in question.
"""

from dataclasses import dataclass, field

from kafka_metal_declarations.text_file import Fault, quoted

QUOTE = '"'
Place = tuple[int, int]


@dataclass
class Scan:
    """Places are (line within the row from 0, column from 1)."""

    starts: list[Place] = field(default_factory=list)
    finish: Place = (0, 1)
    # The first place that breaks the rules of quoting, and the text from there on.
    broken: tuple[Place, str, str] | None = None

    def place(self, line: int, index: int) -> Place:
        """Line and column of a field of a row that begins in ``line``."""
        within, column = self.starts[index] if index < len(self.starts) else self.finish
        return line + within, column

    def end(self, line: int) -> Place:
        """Line and column after the row's last character."""
        return line + self.finish[0], self.finish[1]

    def fault(self, line: int, complaint: str) -> Fault:
        """The broken place as a fault; ``complaint`` is for what this scan does not know."""
        if self.broken is None:
            return Fault(line, 1, f"a row that is no CSV ({complaint})", "CSV as in RFC 4180")
        (within, column), found, allowed = self.broken
        return Fault(line + within, column, found, allowed)


def scan(raw: list[str], delimiter: str) -> Scan:
    """Walk through the lines of one row, which are one line unless a quoted field has breaks."""
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
                text = quoted(body[column - 1 :])
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
        found = f"{quoted(raw[opened[0]][opened[1] - 1 :].rstrip())} without a closing quote"
        result.broken = (opened, found, "a closed text; a quote inside is written twice")
    return result
