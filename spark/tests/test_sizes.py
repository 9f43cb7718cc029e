"""Rows too large for their topic go to the invalid topic, whose records all fit."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.preparation import LimitError, check_room
from kafka_metal_pipeline.queries import flows
from kafka_metal_pipeline.sizes import java_options, librdkafka_options, usable_bytes
from pyspark.sql import DataFrame, Row, functions

Records = Callable[[Sequence[str | bytes | None]], DataFrame]
BODY: dict[str, Any] = {
    "source": {"topic": "in", "schema": "id STRING NOT NULL, text STRING"},
    "outputs": {
        "all": {"sql": "SELECT * FROM events", "topic": "out", "key": "id"},
        "sum": {
            "sql": "SELECT collect_list(text) AS texts FROM events",
            "topic": "sums",
            "mode": "update",
        },
    },
    "invalid": "bad",
}
KAFKA = 1_048_588


def record(name: str, text: str) -> str:
    return json.dumps({"id": name, "text": text}, ensure_ascii=False)


def written(
    records: DataFrame, limits: dict[str, int], declared: Declaration | None = None
) -> dict[str, dict[str, list[Row]]]:
    """Rows by output and topic, as the query of each output writes them."""
    found: dict[str, dict[str, list[Row]]] = {}
    for flow in flows(records, declared or parse("p", BODY), limits):
        for row in flow.rows.collect():
            topic = row["topic"] if "topic" in flow.rows.columns else str(flow.topic)
            found.setdefault(flow.name, {}).setdefault(topic, []).append(row)
    return found


def size(row: Row) -> int:
    fields = row.asDict()
    headers = sum(
        len(each["key"]) + len(each["value"] or b"") for each in fields.get("headers") or ()
    )
    values = (fields["key"], fields["value"])
    texts = [each.encode() if isinstance(each, str) else bytes(each or b"") for each in values]
    return headers + sum(map(len, texts))


LARGE = [
    # Quotes of an object that is read as text are escaped by backslashes.
    '{"id": "a", "text": {"k": "' + '\\"' * 449_400 + '"}}',
    record("b", "y" * KAFKA),
    # Few characters with many bytes.
    record("c", "€" * 360_000),
    record("d", "😀" * 270_000),
    record("e" * 600_000, "z" * 500_000),
]


def test_row_is_in_its_topic_or_the_invalid_one(records: Records) -> None:
    values = [record("small", "x"), *LARGE, record("small too", "y" * 1_000_000)]
    limits = {"out": KAFKA, "sums": 9 * KAFKA, "bad": KAFKA}
    found = written(records(values), limits)["all"]
    assert [json.loads(row["value"])["id"] for row in found["out"]] == ["small", "small too"]
    messages = [json.loads(row["value"]) for row in found["bad"]]
    assert [(each["reason"], each["output"], each["offset"]) for each in messages] == [
        ("too_large", "all", 101 + place) for place in range(len(LARGE))
    ]
    for row, message, value in zip(found["bad"], messages, LARGE, strict=True):
        event = json.loads(value)
        text = event["text"] if isinstance(event["text"], str) else value[20:-1]
        whole = json.dumps({"id": event["id"], "text": text.strip()}, ensure_ascii=False)
        assert size(row) < KAFKA - 200
        # JSON in the row's value has no spaces.
        assert message["raw_bytes"] == pytest.approx(len(whole.encode()), abs=8)
        assert f"{KAFKA} bytes that topic out allows" in message["detail"]
        assert dict(row["headers"])["source.offset"] == str(message["offset"]).encode()
    # A key that would fill the record is left out; its length is stored.
    assert [message["key_bytes"] for message in messages] == [None] * 4 + [600_000]
    assert found["bad"][4]["key"] is None


@pytest.mark.parametrize("limit", [700, 2_000, 100_000, KAFKA, 5 * KAFKA])
def test_rows_are_split_by_the_limit_of_their_topic(records: Records, limit: int) -> None:
    values = [record("i", "x" * (limit + more)) for more in (-650, -400, 0, 400)]
    found = written(records(values), {"out": limit, "sums": limit, "bad": KAFKA})
    fitting, large = found["all"].get("out", []), found["all"].get("bad", [])
    assert len(fitting) + len(large) == len(values)
    assert all(size(row) <= limit - 100 for row in fitting)
    assert all(size(row) < KAFKA - 200 for row in large)
    # The values of the last two are too large alone.
    assert len(large) >= 2
    # Invalid records of aggregates have no single source record.
    (total,) = found["sum"]["bad"]
    message = json.loads(total["value"])
    assert (message["reason"], message["topic"], message["offset"]) == ("too_large", None, None)


INVALID: list[str | bytes] = [
    "x" * 1_048_000,
    "\x01" * 500_000,
    "€" * 400_000,
    b"\xff" * 1_000_000,
    '{"' + "n" * 400_000 + '": 1, "' + "n" * 400_000 + '": 2}',
    '{"' + "\\u0001" * 9_000 + '": 1, "' + "\\u0001" * 9_000 + '": 2}',
]


@pytest.mark.parametrize("limit", [4_096, 10_000, KAFKA])
@pytest.mark.parametrize("key", [b"k", b"k" * 1_000_000], ids=["short key", "long key"])
def test_any_invalid_record_fits_its_topic(records: Records, limit: int, key: bytes) -> None:
    found = records(INVALID).withColumn("key", functions.lit(key))
    rows = written(found, {"out": KAFKA, "sums": KAFKA, "bad": limit})["invalid"]["bad"]
    assert len(rows) == len(INVALID)
    for row in rows:
        assert size(row) <= limit - 100
        message = json.loads(row["value"])
        assert message["reason"] in ("malformed", "not_utf8", "duplicate_key")
        value = INVALID[message["offset"] - 100]
        assert message["raw_bytes"] == len(value if isinstance(value, bytes) else value.encode())
        assert (message["key_bytes"] is None) == (row["key"] is not None)


def test_too_small_invalid_topic_is_refused(records: Records) -> None:
    declared = parse("p", BODY)
    limits = {"out": KAFKA, "sums": KAFKA, "bad": 4_095}
    # Outputs whose rows fit are not refused.
    *outputs, invalid = flows(records([record("a", "x")]), declared, limits)
    for flow in outputs:
        check_room(flow, declared)
    with pytest.raises(LimitError, match=r"topic bad allows 4095 bytes per record; allowed"):
        check_room(invalid, declared)


def test_headers_of_unparsed_records_count(records: Records) -> None:
    body = {
        "source": {"topic": "in", "format": "bytes"},
        "rules": {"any": "true"},
        "outputs": {"copy": {"sql": "SELECT * FROM events", "topic": "out"}},
        "invalid": "bad",
    }
    rows = records([b"small", b"v" * 3_000]).selectExpr(
        *("key", "value", "topic", "partition", "offset", "timestamp"),
        "array(struct('h' AS key, cast(repeat('x', 800) AS BINARY) AS value)) AS headers",
    )
    found = written(rows, {"out": 3_900, "bad": KAFKA}, parse("p", body))["copy"]
    assert [bytes(row["value"]) for row in found["out"]] == [b"small"]
    assert json.loads(found["bad"][0]["value"])["raw_bytes"] == 3_000


def test_client_limits_match_the_topics() -> None:
    assert java_options([KAFKA, 5 * KAFKA])["max.request.size"] == str(5 * KAFKA)
    assert int(java_options([50 * KAFKA])["buffer.memory"]) >= 50 * KAFKA
    assert java_options([2_000, KAFKA])["batch.size"] == "2000"
    assert librdkafka_options([2_000, 5 * KAFKA]) == {
        "message.max.bytes": str(5 * KAFKA),
        "batch.size": "2000",
        "queue.buffering.max.kbytes": "65536",
    }
    confluent_kafka = pytest.importorskip("confluent_kafka")
    options = librdkafka_options([600, 60 * KAFKA])
    confluent_kafka.Producer(options | {"bootstrap.servers": "127.0.0.1:1"})


def test_lower_limit_of_the_site_counts() -> None:
    declared = parse("p", {**BODY, "kafka_options": {"max.request.size": "50000"}})
    assert usable_bytes(KAFKA, declared.site) < 50_000
    declared = parse("p", {**BODY, "kafka_options": {"kafka.max.request.size": "5000000"}})
    assert 1_048_000 < usable_bytes(KAFKA, declared.site) < KAFKA
