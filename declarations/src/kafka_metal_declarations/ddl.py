"""The schema of a topic, as Spark's DDL writes it: ``paymentId STRING NOT NULL, amount DOUBLE``.

Read without Spark, so that a mistake is found on the control node, before a driver starts.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

# Columns that every event has besides its own: where its record came from.
RECORD_COLUMNS = ("_topic", "_partition", "_offset", "_timestamp")
# The type of a record's headers, as Spark's source of Kafka has them.
HEADERS = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
# Columns that parsing adds and takes away again.
WORK_COLUMNS = frozenset(
    re.findall(
        r"\w+",
        "_key _raw _text _reason _detail _end _corrupt _ended _misfit _twice _halved "
        "_framed _known _read _is_tombstone _is_text _is_accepted _rejected",
    )
)

PLAIN_TYPES = frozenset(
    re.findall(
        r"\w+",
        "BOOLEAN TINYINT BYTE SMALLINT SHORT INT INTEGER BIGINT LONG FLOAT REAL DOUBLE DECIMAL DEC "
        "NUMERIC STRING CHAR VARCHAR BINARY DATE TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ",
    )
)
NESTING_TYPES = frozenset({"ARRAY", "MAP", "STRUCT"})
# Spark has more names for the type of an instant.
INSTANT_TYPES = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})


class SchemaError(ValueError):
    """A schema that is no DDL; the message says what was found and what is allowed."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an event. ``type`` is upper-case DDL; NOT NULL makes a field required."""

    name: str
    type: str
    required: bool

    @property
    def base(self) -> str:
        """The type without what stands in brackets: ``DECIMAL`` of ``DECIMAL(10,2)``."""
        return type_base(self.type)

    @property
    def is_instant(self) -> bool:
        """Whether values are points in time."""
        return self.base in INSTANT_TYPES


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
        found = [_name(part.strip()) for part in _split(inner)]
        return [(name, re.split(r"(?i)\s+comment\s+", kind)[0]) for name, kind in found]
    return [("", part.strip()) for part in _split(inner)]


def parse_ddl(text: str) -> tuple[Field, ...]:
    """Fields in their order. Raises SchemaError, naming the field."""
    fields = tuple(_field(part) for part in _split(text))
    seen: set[str] = set()
    for field in fields:
        # Spark finds columns whatever their case.
        lower = field.name.lower()
        if lower in seen:
            raise SchemaError(f"field {field.name} is there twice; case makes no difference")
        if lower in WORK_COLUMNS.union(RECORD_COLUMNS) or lower.startswith("_text_"):
            raise SchemaError(f"field {field.name} has the name of a column that is always added")
        seen.add(lower)
    return fields


def quoted(name: str) -> str:
    """A name as it stands in DDL and SQL."""
    return "`" + name.replace("`", "``") + "`"


def to_ddl(fields: tuple[Field, ...]) -> str:
    """The schema as text, every name quoted."""
    return ", ".join(
        f"{quoted(field.name)} {field.type}{' NOT NULL' if field.required else ''}"
        for field in fields
    )


def _split(text: str) -> Iterator[str]:
    """The parts between commas that are in no brackets and no quotes."""
    depth, start, quote = 0, 0, ""
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "`'\"":
            quote = char
        elif char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
            if depth < 0:
                raise SchemaError(f"{char!r} at character {position + 1} closes nothing")
        elif char == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    if quote or depth:
        raise SchemaError(f"{quote or '< or ('} is never closed")
    yield text[start:]


def _field(part: str) -> Field:
    name, rest = _name(part.strip())
    if not name or not rest:
        raise SchemaError(f"{part.strip()!r} is no field: write NAME TYPE, or NAME TYPE NOT NULL")
    required = False
    words = rest.split()
    upper = [word.upper() for word in words]
    if "COMMENT" in upper:
        upper = upper[: upper.index("COMMENT")]
    if upper[-2:] == ["NOT", "NULL"]:
        required = True
        upper = upper[:-2]
    declared = " ".join(words[: len(upper)])
    field = Field(name, declared if "<" in declared else declared.upper(), required)
    _check_type(field)
    return field


def _name(part: str) -> tuple[str, str]:
    if part.startswith("`"):
        end = part.find("`", 1)
        while part[end + 1 : end + 2] == "`":
            end = part.find("`", end + 2)
        name, rest = part[1:end].replace("``", "`"), part[end + 1 :]
    else:
        name = re.split(r"[\s:]", part, maxsplit=1)[0]
        rest = part[len(name) :]
    return name, rest.lstrip(": \t\r\n")


def _check_type(field: Field) -> None:
    base = field.base
    if base in NESTING_TYPES:
        if "NOT NULL" in field.type.upper():
            raise SchemaError(f"field {field.name}: NOT NULL is checked only for whole fields")
        return
    trailing = field.type.rpartition(")")[2] if "(" in field.type else field.type[len(base) :]
    if base in PLAIN_TYPES and not trailing.strip():
        return
    known = sorted(PLAIN_TYPES | NESTING_TYPES)
    close = difflib.get_close_matches(base, known, 1)
    hint = f"; did you mean {close[0]}?" if close else f"; allowed: {', '.join(known)}"
    raise SchemaError(f"field {field.name} has type {field.type}{hint}")
