"""Rows of topics and archives from accepted events."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.analysis import empty_batch
from kafka_metal_pipeline.queries import StatementError, flows
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

Records = Callable[[Sequence[bytes | str | None]], DataFrame]
SCHEMA = "id STRING NOT NULL, n INT, at TIMESTAMP, place STRUCT<lat: DOUBLE>"
VALUES = [
    '{"id": "a", "n": 1, "at": "2026-05-01T23:59:59.123456Z", "place": {"lat": 0.5}}',
    '{"id": "b"}',
    "no JSON",
    b'{"id": "\xff"}',
    None,
]


def declared(outputs: dict[str, Any], **changes: Any) -> Declaration:
    return parse(
        "p",
        {
            "source": {"topic": "in", "schema": SCHEMA},
            "outputs": outputs,
            "invalid": "bad",
            "checkpoint_root": "/nowhere",
            "archive_root": "/nowhere",
            **changes,
        },
    )


def rows(records: DataFrame, declaration: Declaration, name: str) -> list[Row]:
    (flow,) = [flow for flow in flows(records, declaration) if flow.name == name]
    return flow.rows.collect()


def headers(row: Row) -> dict[str, str]:
    return {header["key"]: bytes(header["value"]).decode() for header in row["headers"]}


def test_topic_rows_have_fields_and_origin_headers(
    records: Records,
) -> None:
    whole = declared({"all": {"sql": "SELECT * FROM events", "topic": "out", "key": "upper(id)"}})
    first, second = rows(records(VALUES), whole, "all")
    assert first["key"] == "A"
    assert json.loads(first["value"]) == {
        "id": "a",
        "n": 1,
        "at": "2026-05-01T23:59:59.123456Z",
        "place": {"lat": 0.5},
    }
    assert json.loads(second["value"]) == {"id": "b", "n": None, "at": None, "place": None}
    assert headers(first) == {
        "source.topic": "in",
        "source.partition": "0",
        "source.offset": "100",
        "source.timestamp": "1777636800000",
    }


def test_key_may_use_record_columns(records: Records) -> None:
    place = declared(
        {"all": {"sql": "TABLE events", "topic": "o", "key": "_partition || '-' || _offset"}}
    )
    assert [row["key"] for row in rows(records(VALUES), place, "all")] == ["0-100", "0-101"]


def test_aggregate_has_no_headers(records: Records) -> None:
    sql = "SELECT count(*) AS events, max(n) AS n FROM events"
    (row,) = rows(records(VALUES), declared({"sum": {"sql": sql, "topic": "o"}}), "sum")
    assert row.asDict() == {"key": None, "value": '{"events":2,"n":1}'}


def test_invalid_record_has_key_origin_and_value(records: Records) -> None:
    found = rows(
        records(VALUES), declared({"all": {"sql": "TABLE events", "topic": "o"}}), "invalid"
    )
    values = [json.loads(row["value"]) for row in found]
    assert values[0] == {
        "reason": "malformed",
        # The key's length if it is too long to be kept.
        "key_bytes": None,
        "detail": "the value is not JSON",
        "topic": "in",
        "partition": 0,
        "offset": 102,
        "timestamp": 1777636802000,
        "raw": "no JSON",
        "raw_encoding": "utf-8",
        "raw_bytes": 7,
    }
    assert (values[1]["reason"], values[1]["raw"]) == ("not_utf8", "eyJpZCI6ICL/In0=")
    assert values[1]["raw_encoding"] == "base64"
    assert (values[2]["reason"], values[2]["raw"], values[2]["raw_bytes"]) == (
        "tombstone",
        None,
        None,
    )
    assert [bytes(row["key"]) for row in found] == [b"key"] * 3
    assert headers(found[2])["source.offset"] == "104"


def test_huge_invalid_record_fits_the_invalid_topic(records: Records) -> None:
    worst = b"\x01" * 1_000_000
    (row,) = rows(
        records([worst]), declared({"all": {"sql": "TABLE events", "topic": "o"}}), "invalid"
    )
    assert len(row["value"].encode()) < 1_000_000
    assert json.loads(row["value"])["raw_bytes"] == 1_000_000


def test_archive_rows_have_origin_and_date(records: Records) -> None:
    archive = declared({"kept": {"path": "all", "partition_by": ["date"]}})
    first, second = rows(records(VALUES), archive, "kept")
    assert (first["_topic"], first["_partition"], first["_offset"]) == ("in", 0, 100)
    assert (str(first["date"]), second["date"]) == ("2026-05-01", None)


def test_outputs_may_have_different_watermarks(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    for column in empty_batch(spark).schema:
        stream = stream.withColumn(column.name, F.lit(None).cast(column.dataType))
    sql = "SELECT window.start AS minute, count(*) AS n FROM events GROUP BY window(at, '1 minute')"
    both = declared(
        {
            name: {
                "sql": sql,
                "topic": name,
                "mode": "update",
                "watermark": {"column": "at", "delay": delay},
            }
            for name, delay in {"soon": "1 minute", "late": "2 hours"}.items()
        }
    )
    plans = [flow.rows._jdf.queryExecution().analyzed().toString() for flow in flows(stream, both)]
    assert "1 minutes" in plans[0]
    assert "2 hours" in plans[1]
    assert "2 hours" not in plans[0]


@pytest.mark.parametrize(
    ("outputs", "rules", "message"),
    [
        ({"a": {"sql": "SELECT nn FROM events", "topic": "o"}}, {}, "pipeline p: outputs.a: "),
        ({"a": {"sql": "SELECT nn FROM events", "topic": "o"}}, {}, "`nn`"),
        ({"a": {"sql": "SELECT * FORM events", "topic": "o"}}, {}, "outputs.a: "),
        ({"a": {"sql": "TABLE events", "topic": "o", "key": "nn"}}, {}, "`nn`"),
        ({"a": {"sql": "SELECT _offset FROM events", "topic": "o"}}, {}, "nothing but _offset"),
        ({"a": {"path": "x", "partition_by": ["day"]}}, {}, "partition_by: found day"),
        (
            {"a": {"path": "x", "sql": "SELECT id FROM events", "partition_by": ["date"]}},
            {},
            "has no at",
        ),
        ({"a": {"path": "x"}}, {"r": "nn > 0"}, "pipeline p: rules: "),
    ],
)
def test_error_names_output_of_an_invalid_statement(
    spark: SparkSession, outputs: dict[str, Any], rules: dict[str, str], message: str
) -> None:
    with pytest.raises(StatementError) as error:
        flows(empty_batch(spark), declared(outputs, rules=rules))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
