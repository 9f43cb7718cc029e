"""CSV files with a header: rows become JSON objects, typed where a whole column agrees.

A column is BIGINT, DOUBLE or BOOLEAN when each of its values is one beyond doubt (``007``, ``1,5``
or ``NaN`` are not), else STRING. An empty value is null. Numbers keep their digits.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kafka_metal_client.csvfault import Scan, scan
from kafka_metal_client.errors import ClientError
from kafka_metal_client.records import (
    Check,
    Record,
    no_such_field,
)
from kafka_metal_client.sizes import BATCH_BYTES, batch_bytes
from kafka_metal_client.textfile import LONGEST_LINE, Fault, lines, quoted

INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
BOOLEANS = {"true": "true", "True": "true", "TRUE": "true"}
BOOLEANS |= {"false": "false", "False": "false", "FALSE": "false"}
# Texts that often stand for no value; they make a column of numbers one of texts.
LIKELY_NULLS = {"NA", "N/A", "NULL", "null", "None", "nil", "NaN", "nan", "\\N", "-", "?"}
LARGEST_INTEGER = 2**63 - 1
# Texts that are looked at once for all rows: in most columns they are few.
TEXTS = 10_000
# Rows that cannot be larger are not measured: few topics take less.
SMALL = 4_096
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True)
class _Row:
    line: int
    fields: list[str]
    raw: list[str]


class CsvFile:
    """Blank lines are skipped; a row has as many fields as the header."""

    def __init__(
        self, path: Path, key: str | None = None, delimiter: str = ",", null: str | None = None
    ) -> None:
        """``key`` is a column; ``null`` is a text that also stands for no value, such as NA."""
        self._path = path
        self._key = key
        self._delimiter = delimiter
        self._nulls = {""} if null is None else {"", null}
        self._types: dict[str, str] = {}
        self._likely_nulls: dict[str, str] = {}

    def check(self) -> Check:
        """Validate header and rows, and learn the type of each column."""
        result = Check()
        try:
            rows = self._rows()
            header = self._header(next(rows, None))
            kinds: list[str | None] = [None] * len(header)
            for row in rows:
                fault = self._check_row(row, header, kinds)
                if fault is None:
                    result.records += 1
                    self._measure(row, header, result)
                else:
                    result.faults.append(fault)
                if result.full:
                    break
        except Fault as fault:
            # After a broken quote or header nothing that follows means what it seems to.
            result.faults.append(fault)
            return result
        for name, kind in zip(header, kinds, strict=True):
            text = self._likely_nulls.get(name)
            self._types[name] = "STRING" if kind is None or text is not None else kind
            if text is not None and kind not in (None, "STRING"):
                result.hints.append(
                    f"column {name} is a text only because of {quoted(text)}; "
                    f"with --null {text} it is a {kind}"
                )
        result.columns = dict(self._types)
        return result

    def records(self) -> Iterator[Record]:
        """Rows as JSON objects; ``check`` must have passed."""
        rows = self._rows()
        header = next(rows).fields
        encoders = [_ENCODERS[self._types[name]] for name in header]
        names = [json.dumps(name, ensure_ascii=False) for name in header]
        key = None if self._key is None else header.index(self._key)
        for row in rows:
            members = (
                f"{name}:{'null' if text in self._nulls else encode(text)}"
                for name, encode, text in zip(names, encoders, row.fields, strict=True)
            )
            value = "{" + ",".join(members) + "}"
            yield Record(
                row.line, None if key is None else row.fields[key].encode(), value.encode()
            )

    def _rows(self) -> Iterator[_Row]:
        raw: list[str] = []
        source = lines(self._path)

        def remembered() -> Iterator[str]:
            for line in source:
                raw.append(line)
                yield line

        csv.field_size_limit(LONGEST_LINE)
        reader = csv.reader(remembered(), delimiter=self._delimiter, strict=True)
        line = 1
        while True:
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise scan(raw, self._delimiter).fault(line, str(error)) from error
            if fields:
                yield _Row(line, fields, raw[:])
            line += len(raw)
            raw.clear()

    def _header(self, row: _Row | None) -> list[str]:
        if row is None:
            raise Fault(1, 1, "an empty file", "a header line with the names of the columns")
        where = self._scan(row)
        for index, name in enumerate(row.fields):
            line, column = where.place(row.line, index)
            if not name.strip():
                raise Fault(line, column, "a column without a name", "a name for each column")
            if name in row.fields[:index]:
                found = f"the column name {quoted(name)} for a second time"
                raise Fault(line, column, found, "each name once")
        if self._key is not None and self._key not in row.fields:
            raise ClientError(f"{self._path}: {no_such_field(self._key, row.fields)}")
        if len(row.fields) == 1:
            self._refuse_other_delimiter(row)
        return row.fields

    def _refuse_other_delimiter(self, row: _Row) -> None:
        for other, name in DELIMITERS.items():
            if other != self._delimiter and other in row.fields[0]:
                column = row.raw[0].index(other) + 1
                allowed = f"columns split by {quoted(self._delimiter)}; see --delimiter"
                raise Fault(row.line, column, f"a {name} in the only column's name", allowed)

    def _check_row(self, row: _Row, header: list[str], kinds: list[str | None]) -> Fault | None:
        if len(row.fields) != len(header):
            return self._wrong_width(row, len(header))
        for index, text in enumerate(row.fields):
            kind = kinds[index]
            if text in self._nulls:
                if header[index] == self._key:
                    line, column = self._scan(row).place(row.line, index)
                    return Fault(line, column, f"no value of the key {self._key}", "a value")
            elif text in LIKELY_NULLS:
                self._likely_nulls[header[index]] = text
            elif kind != "STRING":
                kinds[index] = _merged(kind, _kind(text))
        return None

    def _measure(self, row: _Row, header: list[str], result: Check) -> None:
        # A character takes at most six bytes in JSON, and the key is a field once more: nearly
        # every row needs no closer look.
        characters = sum(map(len, header)) + 2 * sum(map(len, row.raw)) + 4 * len(header)
        if characters * 6 <= max(SMALL, result.largest[0] - BATCH_BYTES):
            return
        value = dict(zip(header, row.fields, strict=True))
        key = None if self._key is None else value[self._key].encode()
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        result.largest = max(result.largest, (batch_bytes(key, text.encode()), row.line))

    def _wrong_width(self, row: _Row, width: int) -> Fault:
        where = self._scan(row)
        count = len(row.fields)
        line, column = where.place(row.line, width) if count > width else where.end(row.line)
        return Fault(line, column, f"a row of {count} fields", f"{width} fields, as in the header")

    def _scan(self, row: _Row) -> Scan:
        return scan(row.raw, self._delimiter)


@lru_cache(TEXTS)
def _kind(text: str) -> str:
    if text in BOOLEANS:
        return "BOOLEAN"
    if INTEGER.fullmatch(text):
        return "BIGINT" if abs(int(text)) <= LARGEST_INTEGER else "STRING"
    return "DOUBLE" if NUMBER.fullmatch(text) else "STRING"


def _merged(one: str | None, other: str) -> str:
    if one is None or one == other:
        return other
    return "DOUBLE" if {one, other} == {"BIGINT", "DOUBLE"} else "STRING"


@lru_cache(TEXTS)
def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_ENCODERS: dict[str, Callable[[str], str]] = {
    "BIGINT": str,
    "DOUBLE": str,
    "BOOLEAN": BOOLEANS.__getitem__,
    "STRING": _text,
}
