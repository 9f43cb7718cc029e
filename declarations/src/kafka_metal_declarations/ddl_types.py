"""The types of Spark's DDL, nested ones too: names, and what stands in their brackets."""

import difflib
import re
from collections.abc import Iterator

PLAIN_TYPES = frozenset(
    re.findall(
        r"\w+",
        "BOOLEAN TINYINT BYTE SMALLINT SHORT INT INTEGER BIGINT LONG FLOAT REAL DOUBLE DECIMAL DEC "
        "NUMERIC STRING CHAR VARCHAR BINARY DATE TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ",
    )
)
# What each nesting type has in its brackets.
NESTING_TYPES = {
    "ARRAY": "ARRAY<TYPE>",
    "MAP": "MAP<TYPE, TYPE>",
    "STRUCT": "STRUCT<NAME: TYPE, NAME: TYPE>",
}
# Spark has more names for the type of an instant.
INSTANT_TYPES = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})
DECIMAL_TYPES = frozenset({"DECIMAL", "DEC", "NUMERIC"})
# Digits of the largest DECIMAL.
WIDEST_DECIMAL = 38
SIZED_TYPES = frozenset({"CHAR", "VARCHAR"})
LONGEST_TEXT = 2**31 - 1
# Levels of types within each other: as many as a sample may have.
DEEPEST = 101

_PLAIN = re.compile(r"(?P<base>\w+)\s*(\((?P<sizes>[^()]*)\))?", re.ASCII)
_SIZES = re.compile(r"\s*[0-9]{1,10}\s*(,\s*[0-9]{1,10}\s*)?")
_BRACKET = re.compile(r"\w+\s*[<(]")
_COMMENT = re.compile(r"\s+comment\s+.*", re.IGNORECASE | re.DOTALL)


class SchemaError(ValueError):
    """A schema that is no DDL; the message says what was found and what is allowed."""


def type_base(declared: str) -> str:
    """A type without what stands in its brackets."""
    return declared.split("(")[0].split("<")[0].strip().upper()


def inner_types(declared: str) -> list[tuple[str, str]]:
    """Names and types of what an ARRAY, MAP or STRUCT holds; none for any other type."""
    base = type_base(declared)
    if base not in NESTING_TYPES or "<" not in declared:
        return []
    inner = declared[declared.index("<") + 1 : declared.rindex(">")]
    if base == "STRUCT":
        found = [name_of(part.strip()) for part in split(inner) if inner.strip()]
        return [(name, _COMMENT.sub("", kind)) for name, kind in found]
    return [("", part.strip()) for part in split(inner)]


def split(text: str) -> Iterator[str]:
    """The parts between commas that are in no brackets and no quotes."""
    start = 0
    for position, char, depth in _unquoted(text):
        if char == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def end_of_type(text: str) -> int:
    """Where the type ends that ``text`` begins with: after its bracket, or its first word."""
    if _BRACKET.match(text):
        for position, char, depth in _unquoted(text):
            if char in ">)" and depth == 0:
                return position + 1
    return len(text.split(maxsplit=1)[0])


def name_of(part: str) -> tuple[str, str]:
    """The name that a field begins with, without backquotes, and the rest."""
    if part.startswith("`"):
        end = part.find("`", 1)
        while part[end + 1 : end + 2] == "`":
            end = part.find("`", end + 2)
        name, rest = part[1:end].replace("``", "`"), part[end + 1 :]
    else:
        name = re.split(r"[\s:]", part, maxsplit=1)[0]
        rest = part[len(name) :]
    return name, rest.lstrip(": \t\r\n")


def check_type(field: str, declared: str) -> None:
    """Raise SchemaError, naming the field, where Spark knows no such type or none within it."""
    waiting = [declared]
    for _ in range(DEEPEST):
        waiting = [inner for kind in waiting for inner in _checked(field, kind)]
        if not waiting:
            return
    raise SchemaError(f"field {field} has more than {DEEPEST} types within each other")


def _unquoted(text: str) -> Iterator[tuple[int, str, int]]:
    """Place and character outside of quotes, and how many brackets are open after it."""
    depth, quote, escaped = 0, "", False
    for position, char in enumerate(text):
        if quote:
            if escaped or (char == "\\" and quote != "`"):
                escaped = not escaped
            elif char == quote:
                quote = ""
            continue
        if char in "`'\"":
            quote = char
        elif char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
            if depth < 0:
                raise SchemaError(f"{char!r} at character {position + 1} closes nothing")
        yield position, char, depth
    if quote or depth:
        raise SchemaError(f"{quote or '< or ('} is never closed")


def _checked(field: str, declared: str) -> list[str]:
    """The types within one that is right itself."""
    base = type_base(declared)
    if base not in NESTING_TYPES:
        _check_plain(field, declared)
        return []
    if "NOT NULL" in declared.upper():
        raise SchemaError(f"field {field}: NOT NULL is checked only for whole fields")
    found = inner_types(declared) if declared.endswith(">") else []
    is_empty = base == "STRUCT" and re.fullmatch(r"\w+\s*<\s*>", declared)
    count = {"ARRAY": 1, "MAP": 2}.get(base, len(found))
    names = [name for name, _ in found]
    if (not found and not is_empty) or len(found) != count or not all(kind for _, kind in found):
        raise SchemaError(f"field {field} has type {declared}; allowed: {NESTING_TYPES[base]}")
    if base == "STRUCT" and len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError(f"field {field} has {twice or 'a member without a name'} twice")
    return [kind for _, kind in found]


def _check_plain(field: str, declared: str) -> None:
    found = _PLAIN.fullmatch(declared.strip())
    base = found["base"].upper() if found else type_base(declared)
    if found is None or base not in PLAIN_TYPES:
        known = sorted(PLAIN_TYPES.union(NESTING_TYPES))
        close = difflib.get_close_matches(base, known, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; allowed: {', '.join(known)}"
        raise SchemaError(f"field {field} has type {declared}{hint}")
    if allowed := _allowed_sizes(base, found["sizes"]):
        raise SchemaError(f"field {field} has type {declared}; allowed: {allowed}")


def _allowed_sizes(base: str, given: str | None) -> str | None:
    """What is allowed in the brackets of a type, where something else is there."""
    right = given is not None and _SIZES.fullmatch(given)
    sizes = [int(size) for size in given.split(",")] if given is not None and right else []
    if base in DECIMAL_TYPES:
        is_right = given is None or (
            sizes and 1 <= sizes[0] <= WIDEST_DECIMAL and all(n <= sizes[0] for n in sizes)
        )
        allowed = f"{base}(PRECISION, SCALE), 1 to {WIDEST_DECIMAL} and 0 to the precision"
    elif base in SIZED_TYPES:
        is_right = len(sizes) == 1 and 1 <= sizes[0] <= LONGEST_TEXT
        allowed = f"{base}(LENGTH), 1 to {LONGEST_TEXT}, or STRING"
    else:
        is_right, allowed = given is None, f"{base}, without brackets"
    return None if is_right else allowed
