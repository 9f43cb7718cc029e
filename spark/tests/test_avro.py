"""Avro values with schemas from a registry."""

import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration, RegistrySite
from kafka_metal_pipeline.registry import WriterSchemas, resolve_schemas
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from kafka_metal_pipeline.wire_format import UNKNOWN_WRITER
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

URL = "http://registry:8080/apis/ccompat/v7"
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}


def schema(*fields: tuple[str, Any]) -> str:
    named = [{"name": name, "type": kind} for name, kind in fields]
    return json.dumps({"type": "record", "name": "Event", "fields": named})


FIRST = schema(("id", "string"), ("n", "long"), ("at", MILLIS))
# A later version: other order, a new field, the time without its logical type.
SECOND = schema(("at", "long"), ("note", ["null", "string"]), ("id", "string"), ("n", "long"))


class Registry:
    """Responses of a registry by URL."""

    def __init__(self, **changes: Any) -> None:
        first = {"id": 258, "schema": FIRST, **changes}
        second = {"id": 7, "schema": SECOND, "schemaType": "AVRO"}
        self.answers = {"": [1, 4], "/1": first, "/4": second}

    def __call__(self, url: str, _site: RegistrySite) -> Any:
        return self.answers[url.removeprefix(f"{URL}/subjects/in-value/versions")]


def declared(**registry: Any) -> Declaration:
    return parse(
        "p",
        {
            "source": {
                "topic": "in",
                "format": "avro",
                "registry": {"url": URL, **registry},
                "schema": "id STRING NOT NULL, n INT NOT NULL, at TIMESTAMP, note STRING",
            },
            "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
            "invalid": "bad",
        },
    )


def number(value: int) -> bytes:
    """A long in Avro's encoding."""
    value, out = (value << 1) ^ (value >> 63), bytearray()
    while value & ~0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value: str) -> bytes:
    return number(len(value)) + value.encode()


def framed(writer: int, body: bytes) -> bytes:
    return struct.pack(">bI", 0, writer) + body


NOON_MS = 1777636800000
FIRST_BODY = text("a") + number(5) + number(NOON_MS)
VALUES: list[tuple[bytes | None, tuple[Any, ...]]] = [
    (framed(258, FIRST_BODY), ("a", 5, True, None)),
    (framed(7, number(NOON_MS // 1000) + number(1) + text("x") + text("b") + number(6)),
     ("b", 6, True, "x")),
    (framed(7, number(NOON_MS) + number(0) + text("b") + number(6)), ("out_of_range",)),
    (framed(258, text("a") + number(2**40) + number(NOON_MS)), ("wrong_type",)),
    (framed(9, FIRST_BODY), ("unknown_schema",)),
    (framed(258, FIRST_BODY[:-3]), ("malformed",)),
    (framed(258, number(3) + b"\xed\xa0\x80" + number(5) + number(NOON_MS)), ("not_utf8",)),
    (framed(258, number(1) + b"\xff" + number(5) + number(NOON_MS)), ("not_utf8",)),
    (b"\x01" + framed(258, FIRST_BODY)[1:], ("malformed",)),
    (b'{"id": "a"}', ("malformed",)),
    (b"\x00", ("malformed",)),
    (b"", ("empty",)),
    (None, ("tombstone",)),
]  # fmt: skip


def test_record_is_read_with_its_writer_schema(
    records: Callable[[Sequence[bytes | str | None]], DataFrame],
) -> None:
    whole = resolve_schemas(declared(), Registry())
    parsed = parse_records(records([value for value, _ in VALUES]), whole.source)
    found: dict[int, tuple[Any, ...]] = {}
    for row in accepted_events(validate_records(parsed, whole.source, {}), whole.source).collect():
        noon = row["at"].isoformat().endswith("T12:00:00")
        found[row["_offset"] - 100] = (row["id"], row["n"], noon, row["note"])
    for row in rejected_records(
        validate_records(parsed, whole.source, {}), whole.source, {}
    ).collect():
        found[row["_offset"] - 100] = (row["_reason"],)
        assert row["_detail"]
    assert [found[place] for place in range(len(VALUES))] == [expected for _, expected in VALUES]


def test_value_is_decoded_once_per_schema(
    records: Callable[[Sequence[bytes | str | None]], DataFrame],
) -> None:
    whole = resolve_schemas(declared(), Registry())
    events = accepted_events(
        validate_records(parse_records(records([]), whole.source), whole.source, {}), whole.source
    )
    plan = events._jdf.queryExecution().executedPlan().toString()
    assert plan.lower().count("from_avro(") + plan.count("AvroDataToCatalyst(") == 2


def test_a_batch_with_an_unknown_schema_fails_with_its_id(
    spark: SparkSession,
    records: Callable[[Sequence[bytes | str | None]], DataFrame],
    tmp_path: Path,
) -> None:
    source = WriterSchemas(declared(), Registry()).declaration.source
    known = [value for value, expected in VALUES if expected != ("unknown_schema",)]

    def batch(name: str, values: Sequence[bytes | None]) -> StreamingQuery:
        folder = str(tmp_path / name)
        rows = records(list(values))
        rows.write.parquet(folder)
        stream = spark.readStream.schema(rows.schema).parquet(folder)
        accepted = accepted_events(
            validate_records(parse_records(stream, source), source, {}), source
        )
        writer = accepted.writeStream.format("memory").queryName(name)
        return writer.trigger(availableNow=True).start()

    batch("known", known).awaitTermination()
    assert spark.table("known").count() == 2

    query = batch("unknown", [value for value, _ in VALUES])
    with pytest.raises(StreamingQueryException):
        query.awaitTermination()
    assert f"9 {UNKNOWN_WRITER}" in str(query.exception())
