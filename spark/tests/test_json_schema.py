"""JSON with the id of its schema, as serializers of a schema registry write it."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from pyspark.sql import DataFrame


def framed(writer: int, body: bytes) -> bytes:
    return struct.pack(">bI", 0, writer) + body


# An id whose bytes are not UTF-8.
KNOWN = 0x00C8FF01
VALUES: list[tuple[bytes | None, tuple[Any, ...]]] = [
    (framed(KNOWN, b'{"id": "a", "n": 5}'), ("a", 5, None)),
    (framed(7, '{"id": "ü", "n": null, "of": {"x": 1}}'.encode()), ("ü", None, 1)),
    (framed(9, b'{"id": "a", "n": 5}'), ("unknown_schema",)),
    (framed(KNOWN, b'{"id": "a", "n": "x"}'), ("wrong_type",)),
    (framed(KNOWN, b'{"n": 5}'), ("missing_field",)),
    (framed(KNOWN, b'{"id": "a", "id": "b"}'), ("duplicate_key",)),
    (framed(KNOWN, b'{"id": "a"'), ("malformed",)),
    (framed(KNOWN, b'{"id": "\xff"}'), ("not_utf8",)),
    (b'{"id": "a", "n": 5}', ("malformed",)),
    (b"\x00\x00", ("malformed",)),
    (b"", ("empty",)),
    (None, ("tombstone",)),
]


def test_an_object_is_read_after_the_id_of_its_schema(
    records: Callable[[Sequence[bytes | str | None]], DataFrame],
) -> None:
    declared = parse(
        "p",
        {
            "source": {
                "topic": "in",
                "format": "json_schema",
                "schema": "id STRING NOT NULL, n INT, of STRUCT<x: INT>",
            },
            "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
            "invalid": "bad",
        },
    )
    source = replace(declared.source, writers=((KNOWN, "{}"), (7, "{}")))
    parsed = parse_records(records([value for value, _ in VALUES]), source)
    validated = validate_records(parsed, source, {})
    found: dict[int, tuple[Any, ...]] = {}
    for row in accepted_events(validated, source).collect():
        found[row["_offset"] - 100] = (row["id"], row["n"], row["of"] and row["of"]["x"])
    details = {}
    for row in rejected_records(validated, source, {}).collect():
        found[row["_offset"] - 100] = (row["_reason"],)
        details[row["_reason"]] = row["_detail"]
    assert [found[place] for place in range(len(VALUES))] == [expected for _, expected in VALUES]
    assert all(details.values())
    assert details["duplicate_key"] == "more than one id"
    assert details["wrong_type"] == "n: expected INT, found x"
