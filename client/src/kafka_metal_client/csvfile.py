"""CSV files with a header: each row becomes a JSON object.

A column gets a type other than STRING only if all its values fit. An empty value is null. Numbers
keep their digits.
"""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from kafka_metal_declarations.columns import CsvColumns
from kafka_metal_declarations.csv_rows import CsvRows, Row
from kafka_metal_declarations.text_file import Fault

from kafka_metal_client.errors import ClientError
from kafka_metal_client.records import Check, Record, no_such_field
from kafka_metal_client.sizes import BATCH_BYTES, batch_bytes

# Size of the cache of JSON-encoded texts: most columns have few distinct values.
TEXTS = 10_000
# Bytes of a row below which its size is not computed: few topics have a smaller limit.
SMALL = 4_096
# Types whose CSV text is valid JSON; values of all other types are encoded as strings.
NUMBERS = {"BIGINT", "DOUBLE"}


class CsvFile:
    """A CSV file; blank lines are skipped, each row has as many fields as the header."""

    def __init__(
        self, path: Path, key: str | None = None, delimiter: str = ",", null: str | None = None
    ) -> None:
        """``key`` is a column; ``null`` is a text that also means null, such as NA."""
        self._path = path
        self._rows = CsvRows(path, delimiter)
        self._key = key
        self._null = null
        self._columns: CsvColumns | None = None

    def check(self) -> Check:
        """Validate header and rows, and infer the type of each column."""
        result = Check()
        try:
            header, rows = self._rows.read()
            if self._key is not None and self._key not in header:
                raise ClientError(f"{self._path}: {no_such_field(self._key, header)}")
            columns = CsvColumns(header, self._null)
            for row in rows:
                fault = self._rows.wrong_width(row, header) or self._keyless(row, header, columns)
                if fault is None:
                    columns.add_row(row.fields)
                    result.records += 1
                    self._measure(row, header, result)
                else:
                    result.faults.append(fault)
                if result.full:
                    break
        except Fault as fault:
            # Rows after a broken quote or header cannot be interpreted.
            result.faults.append(fault)
            return result
        self._columns = columns
        result.columns = {name: str(kind) for name, kind in columns.kinds().items()}
        result.hints = columns.hints()
        return result

    def records(self) -> Iterator[Record]:
        """Yield the rows as JSON objects; RuntimeError unless ``check`` ran without faults."""
        if self._columns is None:
            raise RuntimeError("the file was not checked")
        nulls, kinds = self._columns.nulls, self._columns.kinds()
        header, rows = self._rows.read()
        encoders = [_encoder(str(kinds[name])) for name in header]
        names = [json.dumps(name, ensure_ascii=False) for name in header]
        key = None if self._key is None else header.index(self._key)
        # As in the record's value, so that a file of the rest has the same keys.
        boolean = key is not None and str(kinds[header[key]]) == "BOOLEAN"
        key_text = str.lower if boolean else str
        for row in rows:
            members = (
                f"{name}:{'null' if text in nulls else encode(text)}"
                for name, encode, text in zip(names, encoders, row.fields, strict=True)
            )
            value = "{" + ",".join(members) + "}"
            yield Record(
                row.line,
                None if key is None else key_text(row.fields[key]).encode(),
                value.encode(),
            )

    def _keyless(self, row: Row, header: list[str], columns: CsvColumns) -> Fault | None:
        if self._key is None:
            return None
        index = header.index(self._key)
        if row.fields[index] not in columns.nulls:
            return None
        line, column = self._rows.place(row, index)
        return Fault(line, column, f"no value in key column {self._key}", "a value")

    def _measure(self, row: Row, header: list[str], result: Check) -> None:
        # Upper bound: a character takes at most six bytes in JSON, and the key may be any field.
        # Nearly every row is below it, and its size is then not computed.
        characters = sum(map(len, header)) + 2 * sum(map(len, row.raw)) + 4 * len(header)
        if characters * 6 <= max(SMALL, result.largest[0] - BATCH_BYTES):
            return
        value = dict(zip(header, row.fields, strict=True))
        key = None if self._key is None else value[self._key].encode()
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        result.largest = max(result.largest, (batch_bytes(key, text.encode()), row.line))


@lru_cache(TEXTS)
def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _encoder(kind: str) -> Callable[[str], str]:
    """Return the function that turns a text of a column of this type into JSON."""
    if kind == "BOOLEAN":
        return str.lower
    return str if kind in NUMBERS else _text
