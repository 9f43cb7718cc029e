"""Files with one JSON object per line; each line is sent as it is."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from kafka_metal_client.records import Check, Record
from kafka_metal_client.sizes import batch_bytes
from kafka_metal_client.textfile import Fault, lines, quoted

# An escape that begins or ends a character of two halves.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
NAMES = {
    dict: "an object", list: "an array", str: "a text", bool: "a boolean", type(None): "null",
    int: "a number", float: "a number",
}  # fmt: skip
SQL_TYPES = {
    dict: "STRUCT", list: "ARRAY", str: "STRING", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE",
}  # fmt: skip


class JsonLines:
    """Empty lines are skipped."""

    def __init__(self, path: Path, key: str | None = None) -> None:
        """``key`` is the field whose value becomes the record's key."""
        self._path = path
        self._key = key

    def check(self) -> Check:
        """Validate each line: one JSON object, no key twice, the key field present."""
        result = Check()
        try:
            for number, line in enumerate(lines(self._path), start=1):
                if line.isspace():
                    continue
                try:
                    self._check_line(number, line, result)
                except Fault as fault:
                    result.faults.append(fault)
                if result.full:
                    break
        except Fault as fault:
            # The bytes themselves are wrong: nothing after them can be trusted.
            result.faults.append(fault)
        return result

    def records(self) -> Iterator[Record]:
        """The stripped lines."""
        for number, line in enumerate(lines(self._path), start=1):
            text = line.strip()
            if text:
                key = None if self._key is None else key_bytes(json.loads(text)[self._key])
                yield Record(number, key, text.encode())

    def _check_line(self, number: int, line: str, result: Check) -> None:
        value = _object(number, line.rstrip())
        _refuse_surrogates(number, line, value)
        if self._key is not None and value.get(self._key) is None:
            found = f"an object without the key field {self._key}"
            raise Fault(number, 1, found, "a value for it in each line")
        if self._key is not None and isinstance(value[self._key], dict | list):
            found = f"{NAMES[type(value[self._key])]} as key field {self._key}"
            raise Fault(number, 1, found, "a text, a number or a boolean")
        key = None if self._key is None else key_bytes(value[self._key])
        size = batch_bytes(key, line.strip().encode())
        result.largest = max(result.largest, (size, number))
        result.records += 1
        for name, item in value.items():
            if item is not None:
                result.columns[name] = merged_type(result.columns.get(name), SQL_TYPES[type(item)])


def key_bytes(value: object) -> bytes:
    """A text as it is, anything else as its JSON."""
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def merged_type(one: str | None, other: str) -> str:
    """The SQL type that holds both."""
    if one is None or one == other:
        return other
    return "DOUBLE" if {one, other} == {"BIGINT", "DOUBLE"} else "STRING"


class _Twice(ValueError):
    pass


def _object(number: int, line: str) -> dict[str, object]:
    start = len(line) - len(line.lstrip()) + 1
    try:
        value = json.loads(line, object_pairs_hook=_pairs, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _fault(number, line, error) from error
    except _Twice as error:
        raise Fault(number, start, str(error), "each name once, and finite numbers") from error
    except (ValueError, RecursionError) as error:
        found = f"a value that no reader takes ({error})"
        raise Fault(number, start, found, "JSON of common size and depth") from error
    if not isinstance(value, dict):
        raise Fault(number, start, NAMES[type(value)], "a JSON object in each line")
    return value


def _refuse_surrogates(number: int, line: str, value: object) -> None:
    """Refuse an escape of half a character: it is no text, and readers make '?' of it."""
    escape = SURROGATE.search(line)
    if escape is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found = f"half a character, \\u{ord(error.object[error.start]):04x}, in a text"
        allowed = "whole characters: both halves, or the character itself"
        raise Fault(number, escape.start() + 1, found, allowed) from error


def _fault(number: int, line: str, error: json.JSONDecodeError) -> Fault:
    """The parser's complaint in words: where it stopped, what stands there, what could."""
    rest = line[error.pos :]
    found = quoted(rest) if rest else "the end of the line"
    if error.msg.startswith("Extra data"):
        return Fault(number, error.pos + 1, found, "nothing after the JSON object")
    if error.msg.startswith("Unterminated string"):
        return Fault(number, error.pos + 1, f"{found} without a closing quote", "a closed text")
    allowed = f"JSON ({error.msg[0].lower() + error.msg[1:]})"
    return Fault(number, error.pos + 1, found, allowed)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Twice(f"the name {quoted(twice)} twice in one object")
    return value


def _constant(text: str) -> object:
    raise _Twice(text)
