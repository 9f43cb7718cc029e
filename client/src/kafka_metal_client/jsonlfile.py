"""Files with one JSON object per line; each line is sent unchanged."""

import json
from collections.abc import Iterator
from pathlib import Path

from kafka_metal_declarations.columns import add_object
from kafka_metal_declarations.json_lines import NAMES, parse_object, read_lines
from kafka_metal_declarations.kinds import Kind
from kafka_metal_declarations.text_file import Fault

from kafka_metal_client.records import Check, Record
from kafka_metal_client.sizes import batch_bytes


class JsonLines:
    """A JSON Lines file; empty lines are skipped."""

    def __init__(self, path: Path, key: str | None = None) -> None:
        """``key`` is the field whose value becomes the record's key."""
        self._path = path
        self._key = key

    def check(self) -> Check:
        """Validate each line: one JSON object, no duplicate keys, the key field present."""
        result, kinds = Check(), dict[str, Kind]()
        try:
            for number, line in read_lines(self._path):
                try:
                    self._check_line(number, line, result, kinds)
                except Fault as fault:
                    result.faults.append(fault)
                if result.full:
                    break
        except Fault as fault:
            # Invalid bytes or compression: the rest of the file cannot be read.
            result.faults.append(fault)
        result.columns = {name: str(kind) for name, kind in kinds.items()}
        return result

    def records(self) -> Iterator[Record]:
        """Yield the lines, stripped of whitespace."""
        for number, line in read_lines(self._path):
            text = line.strip()
            key = None if self._key is None else key_bytes(text, self._key)
            yield Record(number, key, text.encode())

    def _check_line(self, number: int, line: str, result: Check, kinds: dict[str, Kind]) -> None:
        value = parse_object(number, line)
        if self._key is not None and value.get(self._key) is None:
            found = f"an object without the key field {self._key}"
            raise Fault(number, 1, found, "a value for it in each line")
        if self._key is not None and isinstance(value[self._key], dict | list):
            found = f"{NAMES[type(value[self._key])]} as key field {self._key}"
            raise Fault(number, 1, found, "a text, a number or a boolean")
        key = None
        if self._key is not None:
            # Only a number has to be read again, for its digits.
            text = value[self._key]
            key = text.encode() if isinstance(text, str) else key_bytes(line, self._key)
        size = batch_bytes(key, line.strip().encode())
        result.largest = max(result.largest, (size, number))
        result.records += 1
        add_object(kinds, value)


def key_bytes(line: str, name: str) -> bytes:
    """Return the value of a key field: a text in UTF-8, any other value as it is written.

    So a number keeps its digits: 1.10 is another key than 1.1, as in a CSV file.
    """
    value = json.loads(line, parse_float=str, parse_int=str)[name]
    return (value if isinstance(value, str) else json.dumps(value)).encode()
