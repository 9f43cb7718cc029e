"""Unparsed records: archived, replayed, copied; and queries over topic and archive."""

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline import queries, streams
from kafka_metal_pipeline.marks import LostCheckpointError
from kafka_metal_pipeline.queries import Flow, flows
from kafka_metal_pipeline.repair import messages, repair_records, sent_before
from pyspark.sql import DataFrame, Row, SparkSession

Records = Callable[[Sequence[bytes | str | None]], DataFrame]
COLUMNS = ["key", "value", "topic", "partition", "offset", "timestamp", "headers"]


def event(number: int, minute: int, **changes: Any) -> str:
    at = f"2026-05-01T12:{minute:02d}:30Z"
    return json.dumps({"id": f"e{number}", "n": number, "at": at, **changes})


# Valid values in time order, so that none is late, between invalid ones.
VALUES: list[bytes | str | None] = [
    event(1, 1), event(2, 1), None, b"\xff", event(3, 2), event(4, 3, n="4"), "no JSON",
    event(5, 3), event(6, 4), event(6, 4)[:-1], "", event(7, 5, at=1777636800123),
]  # fmt: skip


def over(archives: Path, **body: Any) -> Declaration:
    return parse("p", {"archive_root": str(archives), "checkpoint_root": "/nowhere", **body})


@pytest.fixture
def archives(records: Records, tmp_path: Path) -> Path:
    """A folder with the archive ``raw``, which has VALUES of topic ``in``."""
    declared = over(tmp_path, use="archive", topics=["in", "other"], path="raw")
    (archive,) = flows(records(VALUES), declared)
    queries.write_batch(archive, declared)
    with pytest.raises(LostCheckpointError, match="has rows already"):
        queries.write_batch(archive, declared)
    return tmp_path


def test_archived_records_are_replayed_unchanged(
    spark: SparkSession, records: Records, archives: Path
) -> None:
    replay = over(archives, use="replay", **{"from": {"path": "raw", "topic": "in"}}, to="again")
    found = streams.stored_records(spark, replay).select(*COLUMNS).orderBy("offset").collect()
    assert found == records(VALUES).select(*COLUMNS).collect()
    other = over(archives, use="replay", **{"from": {"path": "raw", "topic": "other"}}, to="a")
    assert streams.stored_records(spark, other).count() == 0
    assert [each.name for each in (archives / "raw").glob("topic=*/*")] == ["date=2026-05-01"]

    # pyarrow reads the same.
    dataset = pytest.importorskip("pyarrow.dataset")
    table = dataset.dataset(archives / "raw", partitioning="hive").to_table()
    assert table.num_rows == len(VALUES)
    assert set(table["topic"].to_pylist()) == {"in"}


def test_copy_keeps_the_record_and_adds_producer_headers(records: Records, tmp_path: Path) -> None:
    words = {"from": {"topic": "in"}, "to": "out", "where": "value IS NOT NULL"}
    declared = over(tmp_path, use="copy", metadata={"application": "billing"}, **words)
    (flow,) = flows(records([None, "x"]), declared)
    (row,) = flow.rows.collect()
    assert (bytes(row["key"]), bytes(row["value"])) == (b"key", b"x")
    headers = {each["key"]: bytes(each["value"]).decode() for each in row["headers"]}
    assert headers.pop("producer.host")
    assert int(headers.pop("producer.time")) > 1_700_000_000_000
    assert headers == {
        "trace": "101",
        "source.topic": "in",
        "source.partition": "0",
        "source.offset": "101",
        "source.timestamp": "1777636801000",
        "producer.application": "billing",
        "producer.schema": "bytes",
    }


def test_statement_over_unparsed_records_must_select_them(records: Records, tmp_path: Path) -> None:
    outputs = {"o": {"sql": "SELECT key FROM events", "topic": "out"}}
    declared = over(tmp_path, source={"topic": "in", "format": "bytes"}, outputs=outputs)
    with pytest.raises(
        queries.StatementError, match="the statement has no \\['value', 'headers'\\]"
    ):
        flows(records([]), declared)


def test_rule_over_unparsed_records_makes_them_invalid(records: Records, tmp_path: Path) -> None:
    declared = over(
        tmp_path,
        source={"topic": "in", "format": "bytes"},
        rules={"small": "octet_length(value) < 3"},
        outputs={"o": {"sql": "SELECT * FROM events", "topic": "out"}},
        invalid="bad",
    )
    good, bad = (flow.rows.collect() for flow in flows(records(["ok", "large", None]), declared))
    assert [bytes(row["value"]) for row in good] == [b"ok"]
    found = [json.loads(row["value"]) for row in bad]
    assert [(each["reason"], each["raw"]) for each in found] == [
        ("small", "large"),
        ("small", None),
    ]


def streamed(flow: Flow, place: Path) -> list[Row]:
    """Return all rows of a stream, batch by batch."""
    rows: list[Row] = []
    writer = flow.rows.writeStream.outputMode(flow.mode).trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(place / flow.name))
    writer.foreachBatch(lambda batch, _: rows.extend(batch.collect())).start().awaitTermination()
    return rows


def test_stream_and_batch_over_the_archive_are_equal(
    spark: SparkSession, archives: Path, tmp_path: Path
) -> None:
    schema = "id STRING NOT NULL, n INT, at TIMESTAMP NOT NULL"
    sums = (
        "SELECT window.start AS minute, count(*) AS events, sum(n) AS n FROM events "
        "GROUP BY window(at, '1 minute')"
    )
    watermark = {"column": "at", "delay": "10 minutes"}
    declared = over(
        archives,
        source={"path": "raw", "topic": "in", "schema": schema},
        rules={"not_three": "n <> 3"},
        outputs={
            "odd": {"sql": "SELECT * FROM events WHERE n % 2 = 1", "topic": "odd", "key": "id"},
            "sums": {
                "sql": sums, "topic": "sums", "key": "minute", "mode": "update",
                "watermark": watermark,
            },
        },
        invalid="bad",
    )  # fmt: skip
    batch = {
        flow.name: flow.rows.collect()
        for flow in flows(streams.stored_records(spark, declared), declared)
    }
    for flow in flows(streams.records(spark, declared), declared):
        found = streamed(flow, tmp_path / "checkpoints")
        # In update mode the last value of a key counts.
        newest = {row["key"]: row for row in found} if flow.name == "sums" else None
        assert sorted(newest.values() if newest else found) == sorted(batch[flow.name])
    values = [json.loads(row["value"]) for row in batch["odd"]]
    assert [each["id"] for each in values] == ["e1", "e5"]
    assert len(batch["invalid"]) == len(VALUES) - 4
    assert [json.loads(row["value"])["events"] for row in sorted(batch["sums"])] == [2, 1, 1]


def message(offset: int, reason: str, raw: str, **changes: Any) -> str:
    """An expected record of the topic of invalid records."""
    message = {
        "reason": reason, "detail": "", "topic": "in", "partition": 0, "offset": offset,
        "timestamp": 1777636800000, "raw": raw, "raw_encoding": "utf-8", "raw_bytes": len(raw),
    }  # fmt: skip
    return json.dumps(message | changes)


def test_repaired_records_are_sent_once_and_others_have_reasons(
    records: Records, tmp_path: Path
) -> None:
    declared = over(
        tmp_path,
        source={"topic": "in", "schema": "id STRING NOT NULL, n INT"},
        outputs={"all": {"sql": "SELECT * FROM events", "topic": "out"}},
        invalid="bad",
    )
    as_text, open_ended = '{"id": "e4", "n": "4"}', base64.b64encode(b'{"id": "e6", "n": 6')
    invalid = messages(
        records([
            message(105, "wrong_type", as_text),
            # The last batch before a crash is in the topic twice.
            message(105, "wrong_type", as_text),
            message(106, "malformed", "no JSON"),
            message(109, "malformed", open_ended.decode(), raw_encoding="base64", raw_bytes=19),
            message(110, "not_utf8", "not chosen"),
            message(112, "malformed", '{"id": "x', raw_bytes=200_000),
            "no message",
        ])
    )  # fmt: skip
    fix = """concat(rtrim('}', regexp_replace(raw, '"n": "([0-9]+)"', '"n": $1')), '}')"""
    chosen = "reason IN ('wrong_type', 'malformed')"
    found = repair_records(invalid, sent_before(records([])), declared, fix, chosen)
    back = found.sendable.orderBy("value").collect()
    assert [json.loads(bytes(row["value"]))["n"] for row in back] == [4, 6]
    assert [bytes(row["key"]) for row in back] == [b"key", b"key"]
    left = {(row["offset"], row["reason"]) for row in found.left.collect()}
    assert left == {(106, "malformed"), (112, "cut")}

    # Sent records have headers with their original place, and are not sent again.
    topic = invalid.sparkSession.createDataFrame(back, found.sendable.schema)
    again = repair_records(invalid, sent_before(topic), declared, fix, chosen)
    assert again.sendable.count() == 0


def test_validate_writes_only_invalid_records(records: Records, tmp_path: Path) -> None:
    declared = over(
        tmp_path, use="validate", source={"topic": "in", "schema": "n INT"}, invalid="bad"
    )
    (flow,) = flows(records(["{}", "[]"]), declared)
    (row,) = flow.rows.collect()
    assert (flow.topic, json.loads(row["value"])["reason"]) == ("bad", "not_an_object")
