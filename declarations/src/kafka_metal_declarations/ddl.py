"""The schema of a topic, as Spark's DDL writes it: ``paymentId STRING NOT NULL, amount DOUBLE``.

Read without Spark, so that a mistake is found on the control node, before a driver starts.
"""

import re
from dataclasses import dataclass

from kafka_metal_declarations.ddl_types import (
    INSTANT_TYPES,
    SchemaError,
    check_type,
    end_of_type,
    inner_types,
    name_of,
    split,
    type_base,
)

__all__ = [
    "HEADERS",
    "INSTANT_TYPES",
    "RECORD_COLUMNS",
    "WORK_COLUMNS",
    "Field",
    "SchemaError",
    "inner_types",
    "parse_ddl",
    "quoted",
    "to_ddl",
    "type_base",
]

# Columns that every event has besides its own: where its record came from.
RECORD_COLUMNS = ("_topic", "_partition", "_offset", "_timestamp")
# What may be after the type of a field.
TAIL = re.compile(
    r"""\s*(?P<required>NOT\s+NULL)?\s*(COMMENT\s*('([^'\\]|\\.|'')*'|"([^"\\]|\\.|"")*"))?\s*""",
    re.IGNORECASE | re.DOTALL,
)
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


def parse_ddl(text: str) -> tuple[Field, ...]:
    """Fields in their order. Raises SchemaError, naming the field."""
    fields = tuple(_field(part) for part in split(text))
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


def _field(part: str) -> Field:
    name, rest = name_of(part.strip())
    if not name or not rest:
        raise SchemaError(f"{part.strip()!r} is no field: write NAME TYPE, or NAME TYPE NOT NULL")
    if part.strip()[0] in "'\"":
        raise SchemaError(f"{name} is no name: a name may be in backquotes, as `a b`, in no others")
    end = end_of_type(rest)
    tail = TAIL.fullmatch(rest, end)
    declared = " ".join((rest[:end] if tail else rest).split())
    field = Field(
        name,
        declared if "<" in declared else declared.upper(),
        bool(tail and tail["required"]),
    )
    check_type(field.name, field.type)
    return field
