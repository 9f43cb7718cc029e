"""Files with one JSON object per line; faults have line and column."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from kafka_metal_declarations.text_file import Fault, lines, quote_shortened

# An escape of one half of a surrogate pair.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Maximum nesting of arrays and objects; JSON parsers have limits of their own.
DEEPEST = 100
NAMES = {
    dict: "an object", list: "an array", str: "a text", bool: "a boolean", type(None): "null",
    int: "a number", float: "a number",
}  # fmt: skip


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that is not blank; Fault if it is not UTF-8."""
    for number, line in enumerate(lines(path), start=1):
        if not line.isspace():
            yield number, line.rstrip()


def parse_object(number: int, line: str) -> dict[str, object]:
    """Return a line's object; Fault for duplicate names, non-finite numbers, lone surrogates."""
    start = len(line) - len(line.lstrip()) + 1
    try:
        value = json.loads(line, object_pairs_hook=_pairs, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _fault(number, line, error) from error
    except _InvalidMemberError as error:
        raise Fault(number, start, str(error), "each name once, and finite numbers") from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(number, start, str(error)) from error
    if not isinstance(value, dict):
        raise Fault(number, start, NAMES[type(value)], "a JSON object in each line")
    if _is_deep(value):
        raise _unreadable(number, start, f"more than {DEEPEST} levels")
    _refuse_surrogates(number, line, value)
    return value


def _unreadable(number: int, column: int, why: str) -> Fault:
    found = f"a value that JSON parsers reject ({why})"
    return Fault(number, column, found, "JSON of common size and depth")


def _is_deep(value: dict[str, object]) -> bool:
    """Whether a value has more levels than DEEPEST; not recursive."""
    level: list[dict[str, object] | list[object]] = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _refuse_surrogates(number: int, line: str, value: object) -> None:
    """Refuse a lone surrogate: it is not valid Unicode, and readers replace it by '?'."""
    escape = SURROGATE.search(line)
    if escape is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found = f"half a surrogate pair, \\u{ord(error.object[error.start]):04x}, in a text"
        allowed = "whole characters: both halves, or the character itself"
        raise Fault(number, escape.start() + 1, found, allowed) from error


def _fault(number: int, line: str, error: json.JSONDecodeError) -> Fault:
    """Return the parser's error as a fault: its position, what is there, what is allowed."""
    rest = line[error.pos :]
    found = quote_shortened(rest) if rest else "the end of the line"
    if error.msg.startswith("Extra data"):
        return Fault(number, error.pos + 1, found, "nothing after the JSON object")
    if error.msg.startswith("Unterminated string"):
        return Fault(number, error.pos + 1, f"{found} without a closing quote", "a closed text")
    allowed = f"JSON ({error.msg[0].lower() + error.msg[1:]})"
    return Fault(number, error.pos + 1, found, allowed)


class _InvalidMemberError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _InvalidMemberError(f"the name {quote_shortened(twice)} twice in one object")
    return value


def _constant(text: str) -> object:
    raise _InvalidMemberError(text)
