"""Rows of a CSV file with a header, as in RFC 4180; faults have line and column."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kafka_metal_declarations.csv_scan import Scan, scan
from kafka_metal_declarations.text_file import LONGEST_LINE, Fault, lines, quote_shortened

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the line where it begins, its fields, and its unparsed lines."""

    line: int
    fields: list[str]
    raw: list[str]


class CsvRows:
    """A CSV file that can be read several times; blank lines are skipped."""

    def __init__(self, path: Path, delimiter: str = ",") -> None:
        """``delimiter`` is one character."""
        self._path = path
        self._delimiter = delimiter

    def read(self) -> tuple[list[str], Iterator[Row]]:
        """Return the column names and the rows, whose number of fields may be wrong.

        Raises Fault, also while rows are read: the rest of the file is then unusable.
        """
        rows = self._rows()
        return self._header(next(rows, None)), rows

    def place(self, row: Row, index: int) -> tuple[int, int]:
        """Return line and column of a field of a row."""
        return self._scan(row).place(row.line, index)

    def wrong_width(self, row: Row, header: list[str]) -> Fault | None:
        """Return a fault if a row has more or fewer fields than the header."""
        count, width = len(row.fields), len(header)
        if count == width:
            return None
        where = self._scan(row)
        line, column = where.place(row.line, width) if count > width else where.end(row.line)
        return Fault(line, column, f"a row of {count} fields", f"{width} fields, as in the header")

    def _rows(self) -> Iterator[Row]:
        raw: list[str] = []
        source = lines(self._path)

        def recorded() -> Iterator[str]:
            for line in source:
                raw.append(line)
                yield line

        csv.field_size_limit(LONGEST_LINE)
        reader = csv.reader(recorded(), delimiter=self._delimiter, strict=True)
        line = 1
        while True:
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise scan(raw, self._delimiter).fault(line, str(error)) from error
            if fields:
                yield Row(line, fields, raw[:])
            line += len(raw)
            raw.clear()

    def _header(self, row: Row | None) -> list[str]:
        if row is None:
            raise Fault(1, 1, "an empty file", "a header line with the names of the columns")
        where = self._scan(row)
        for index, name in enumerate(row.fields):
            line, column = where.place(row.line, index)
            if not name.strip():
                raise Fault(line, column, "a column without a name", "a name for each column")
            if name in row.fields[:index]:
                found = f"the column name {quote_shortened(name)} for a second time"
                raise Fault(line, column, found, "each name once")
        if len(row.fields) == 1:
            self._refuse_other_delimiter(row)
        return row.fields

    def _refuse_other_delimiter(self, row: Row) -> None:
        for other, name in DELIMITERS.items():
            if other != self._delimiter and other in row.fields[0]:
                column = row.raw[0].index(other) + 1
                allowed = f"columns split by {quote_shortened(self._delimiter)}; see --delimiter"
                raise Fault(row.line, column, f"a {name} in the only column's name", allowed)

    def _scan(self, row: Row) -> Scan:
        return scan(row.raw, self._delimiter)
