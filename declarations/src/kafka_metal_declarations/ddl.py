"""The schema of a topic, as Spark's DDL writes it: ``paymentId STRING NOT NULL, amount DOUBLE``.

Read without Spark, so that a mistake is found on the control node, before a driver starts.
"""

import re

from kafka_metal_declarations.ddl_types import (
    INSTANT_TYPES,
    Field,
    SchemaError,
    check_type,
    fields_of,
    inner_types,
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


def parse_ddl(text: str) -> tuple[Field, ...]:
    """Fields in their order. Raises SchemaError, naming the field."""
    fields = fields_of(text)
    for field in fields:
        lower = field.name.lower()
        if lower in WORK_COLUMNS.union(RECORD_COLUMNS) or lower.startswith("_text_"):
            raise SchemaError(f"field {field.name} has the name of a column that is always added")
        check_type(field.name, field.type)
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
