"""The types of Spark DDL, including nested types."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kafka_metal_declarations.json_lines import DEEPEST

PLAIN_TYPES = frozenset(
    re.findall(
        r"\w+",
        "BOOLEAN TINYINT BYTE SMALLINT SHORT INT INTEGER BIGINT LONG FLOAT REAL DOUBLE DECIMAL DEC "
        "NUMERIC STRING CHAR VARCHAR BINARY DATE TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ",
    )
)
# The form of each nested type.
NESTING_TYPES = {
    "ARRAY": "ARRAY<TYPE>",
    "MAP": "MAP<TYPE, TYPE>",
    "STRUCT": "STRUCT<NAME: TYPE, NAME: TYPE>",
}
# Spark's names of the type of an instant.
INSTANT_TYPES = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})
DECIMAL_TYPES = frozenset({"DECIMAL", "DEC", "NUMERIC"})
# Maximum precision of a DECIMAL.
WIDEST_DECIMAL = 38
SIZED_TYPES = frozenset({"CHAR", "VARCHAR"})
LONGEST_TEXT = 2**31 - 1

_PLAIN = re.compile(r"(?P<base>\w+)\s*(\((?P<sizes>[^()]*)\))?", re.ASCII)
_SIZES = re.compile(r"\s*[0-9]{1,10}\s*(,\s*[0-9]{1,10}\s*)?")
_BRACKET = re.compile(r"\w+\s*[<(]")
_NESTED = re.compile(r"\w+\s*<(?P<inner>.*)>", re.DOTALL)
# What may follow the type of a field.
_TAIL = re.compile(
    r"""\s*(?P<required>NOT\s+NULL\b)?\s*(COMMENT\s*('([^'\\]|\\.|'')*'|"([^"\\]|\\.|"")*"))?\s*""",
    re.IGNORECASE | re.DOTALL,
)


class SchemaError(ValueError):
    """A schema that is not valid DDL; the message says what was found and what is allowed."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an event; ``type`` is upper-case DDL, ``required`` is NOT NULL."""

    name: str
    type: str
    required: bool

    @property
    def base(self) -> str:
        """The type without its arguments: ``DECIMAL`` of ``DECIMAL(10,2)``."""
        return type_base(self.type)

    @property
    def is_instant(self) -> bool:
        """Whether values are points in time."""
        return self.base in INSTANT_TYPES


def type_base(declared: str) -> str:
    """Return a type without its arguments."""
    return declared.split("(")[0].split("<")[0].strip().upper()


def inner_types(declared: str) -> list[tuple[str, str]]:
    """Return names and types of the parts of an ARRAY, MAP or STRUCT; none for other types."""
    return [(field.name, field.type) for field in _inner(declared)]


def parse_fields(text: str) -> tuple[Field, ...]:
    """Return the fields of a schema or of a STRUCT; their types are not checked here."""
    fields = tuple(_field(part.strip()) for part in split_fields(text))
    seen: set[str] = set()
    for field in fields:
        # Spark resolves columns regardless of case.
        lower = field.name.lower()
        if lower in seen:
            raise SchemaError(f"field {field.name} is declared twice; case makes no difference")
        seen.add(lower)
    return fields


def check_type(field: str, declared: str) -> None:
    """Raise SchemaError, naming the field, if Spark does not support its type or a nested one."""
    waiting = [declared]
    # The same limit as for samples.
    for _ in range(DEEPEST):
        waiting = [inner for kind in waiting for inner in _checked(field, kind)]
        if not waiting:
            return
    raise SchemaError(f"field {field} has more than {DEEPEST} nested types")


def _inner(declared: str) -> tuple[Field, ...]:
    base, nested = type_base(declared), _NESTED.fullmatch(declared)
    if base not in NESTING_TYPES or nested is None or not nested["inner"].strip():
        return ()
    if base == "STRUCT":
        return parse_fields(nested["inner"])
    return tuple(Field("", part.strip(), False) for part in split_fields(nested["inner"]))


def _field(part: str) -> Field:
    """Parse one field; an invalid end stays part of its type, and the check of types reports it."""
    name, rest = _name(part)
    if not name or not rest:
        raise SchemaError(f"{part!r} is not a field: write NAME TYPE")
    if part[0] in "'\"":
        raise SchemaError(f"{name} is not a name: only backquotes may quote a name, as in `a b`")
    end = _end_of_type(rest)
    tail = _TAIL.fullmatch(rest, end)
    declared = rest[:end] if tail else rest
    is_nested = "<" in declared
    return Field(
        name,
        # Whitespace may be part of quoted member names.
        declared if is_nested else " ".join(declared.split()).upper(),
        bool(tail and tail["required"]),
    )


def split_fields(text: str) -> Iterator[str]:
    """Yield the parts between commas that are outside brackets and quotes."""
    start = 0
    for position, char, depth in _outside_quotes(text):
        if char == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _end_of_type(text: str) -> int:
    """Return the end of the type at the start of ``text``: its closing bracket or first word."""
    if _BRACKET.match(text):
        for position, char, depth in _outside_quotes(text):
            if char in ">)" and depth == 0:
                return position + 1
    return len(text.split(maxsplit=1)[0])


def _name(part: str) -> tuple[str, str]:
    """Return the name at the start of a field without backquotes, and the rest after a colon."""
    if part.startswith("`"):
        end = part.find("`", 1)
        while part[end + 1 : end + 2] == "`":
            end = part.find("`", end + 2)
        name, rest = part[1:end].replace("``", "`"), part[end + 1 :]
    else:
        name = re.split(r"[\s:]", part, maxsplit=1)[0]
        rest = part[len(name) :]
    return name, rest.strip().removeprefix(":").strip()


def _outside_quotes(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield position, character and bracket depth after it, outside quotes."""
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
                raise SchemaError(f"{char!r} at character {position + 1} has no opening bracket")
        yield position, char, depth
    if quote or depth:
        raise SchemaError(f"{quote or '< or ('} is never closed")


def _checked(field: str, declared: str) -> list[str]:
    """Check a type itself and return the types nested in it."""
    base = type_base(declared)
    if base not in NESTING_TYPES:
        _check_plain(field, declared)
        return []
    found, allowed = f"field {field} has type {declared}", f"allowed: {NESTING_TYPES[base]}"
    try:
        inner = _inner(declared)
    except SchemaError as error:
        raise SchemaError(f"{found}, in which {error}; {allowed}") from error
    is_whole = _NESTED.fullmatch(declared) and _end_of_type(declared) == len(declared)
    if not is_whole or len(inner) != {"ARRAY": 1, "MAP": 2}.get(base, len(inner)):
        raise SchemaError(f"{found}; {allowed}")
    if any(member.required for member in inner):
        raise SchemaError(f"field {field}: NOT NULL is checked only for whole fields")
    return [member.type for member in inner]


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


def _allowed_sizes(base: str, arguments: str | None) -> str | None:
    """Return the allowed form of a type's arguments; None if they are valid."""
    right = arguments is not None and _SIZES.fullmatch(arguments)
    sizes = [int(size) for size in arguments.split(",")] if arguments is not None and right else []
    if base in DECIMAL_TYPES:
        is_right = arguments is None or (
            sizes and 1 <= sizes[0] <= WIDEST_DECIMAL and all(n <= sizes[0] for n in sizes)
        )
        allowed = f"{base}(PRECISION, SCALE), 1 to {WIDEST_DECIMAL} and 0 to the precision"
    elif base in SIZED_TYPES:
        is_right = len(sizes) == 1 and 1 <= sizes[0] <= LONGEST_TEXT
        allowed = f"{base}(LENGTH), 1 to {LONGEST_TEXT}, or STRING"
    else:
        is_right, allowed = arguments is None, f"{base}, without brackets"
    return None if is_right else allowed
