"""The schema of a topic as Spark DDL: ``paymentId STRING NOT NULL, amount DOUBLE``.

Parsed without Spark, so that the control node finds errors before a driver starts.
"""

import re

from kafka_metal_declarations.ddl_types import (
    INSTANT_TYPES,
    Field,
    SchemaError,
    check_type,
    inner_types,
    parse_fields,
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
    "quote_name",
    "to_ddl",
    "type_base",
]

# Columns that every event has in addition to its fields: the position and time of its record.
RECORD_COLUMNS = ("_topic", "_partition", "_offset", "_timestamp")
# The type of a record's headers in Spark's Kafka source.
HEADERS = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
# Columns that parsing adds and later drops.
WORK_COLUMNS = frozenset(
    re.findall(
        r"\w+",
        "_key _raw _text _reason _detail _end _corrupt _ended _wrong_type _twice _halved "
        "_framed _known _read _is_tombstone _is_text _is_accepted _rejected",
    )
)


def parse_ddl(text: str) -> tuple[Field, ...]:
    """Return the fields in order; SchemaError names a wrong field."""
    fields = parse_fields(text)
    for field in fields:
        lower = field.name.lower()
        if lower in WORK_COLUMNS.union(RECORD_COLUMNS) or lower.startswith("_text_"):
            raise SchemaError(f"field {field.name} has the name of a column that is always added")
        check_type(field.name, field.type)
    return fields


def quote_name(name: str) -> str:
    """Return a name in backquotes, as in DDL and SQL."""
    return "`" + name.replace("`", "``") + "`"


def to_ddl(fields: tuple[Field, ...]) -> str:
    """Return the schema as DDL, with every name quoted."""
    return ", ".join(
        f"{quote_name(field.name)} {field.type}{' NOT NULL' if field.required else ''}"
        for field in fields
    )
