"""Reading of the archive as Spark writes it; skipped where pyarrow is not installed.

pyarrow comes with the package's extra ``archive``. The pipeline's image has it too: there the demo
reconciles the archive that Spark really wrote.
"""

import io
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from confluent_kafka import OFFSET_END, TopicPartition
from kafka_fakes import Message
from kafka_metal_client import brokers
from kafka_metal_client.errors import ClientError
from kafka_metal_client.progress import Progress
from kafka_metal_reconciliation.archive import Archive
from kafka_metal_reconciliation.ledger import Ledger, Partition
from kafka_metal_reconciliation.reconcile import Outputs, Reconciliation, Timeouts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
START = int(NOON.timestamp())


def row(part, offset, country="DE", second=5, topic="payments"):
    return {"_topic": topic, "_partition": part, "_offset": offset, "country": country,
            "eventTime": NOON + timedelta(seconds=second), "paymentId": "x"}  # fmt: skip


def write(root, name, rows, **options):
    path = root / "date=2026-03-01" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows)
    part = table.schema.get_field_index("_partition")
    table = table.set_column(part, "_partition", table["_partition"].cast(pa.int32()))
    pq.write_table(table, path, **options)
    return path


def archive(root, places=((0, 1), (1, 1))):
    return Archive(root, "payments", places, window=60)


@pytest.mark.parametrize("options", [{}, {"use_deprecated_int96_timestamps": True}])
def test_rows_of_the_run_and_windows_of_all_runs_are_counted(tmp_path, options):
    rows = [row(0, 1), row(1, 1, "FR", second=65), row(0, 2), row(0, 1, topic="other")]
    write(tmp_path, "a.parquet", rows, **options)
    reader = archive(tmp_path)
    reader.poll()
    assert reader.rows == Counter({(0, 1): 1, (1, 1): 1})
    assert reader.windows == Counter({(START, "DE"): 2, (START + 60, "FR"): 1})
    assert reader.touched == {(START, "DE"), (START + 60, "FR")}


def test_times_as_text_are_parsed(tmp_path):
    write(tmp_path, "a.parquet", [row(0, 1) | {"eventTime": "2026-03-01T12:00:59.999Z"}])
    reader = archive(tmp_path)
    reader.poll()
    assert reader.touched == {(START, "DE")}


def test_each_file_is_counted_once(tmp_path):
    reader = archive(tmp_path)
    write(tmp_path, "a.parquet", [row(0, 1)])
    reader.poll()
    reader.poll()
    write(tmp_path, "b.parquet", [row(0, 1), row(1, 1)])
    reader.poll()
    assert reader.rows == Counter({(0, 1): 2, (1, 1): 1})


def test_uncommitted_files_are_ignored(tmp_path):
    committed = write(tmp_path, "a.parquet", [row(0, 1)])
    write(tmp_path, "uncommitted.parquet", [row(0, 1)])
    log = tmp_path / "_spark_metadata"
    log.mkdir()
    (log / "0").write_text("v1\n" + json.dumps({"path": f"file://{committed}", "action": "add"}))
    reader = archive(tmp_path)
    reader.poll()
    assert reader.rows == Counter({(0, 1): 1})


def test_incomplete_file_is_read_later(tmp_path):
    path = write(tmp_path, "a.parquet", [row(0, 1)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    reader = archive(tmp_path)
    reader.poll()
    assert list(reader.unreadable) == [path]
    path.write_bytes(whole)
    reader.poll()
    assert (reader.rows, reader.unreadable) == ({(0, 1): 1}, {})


def test_missing_archive_is_not_an_error(tmp_path):
    reader = archive(tmp_path / "absent")
    reader.poll()
    assert list(reader.unreadable.values()) == ["it does not exist"]


def test_error_names_missing_columns(tmp_path):
    pq.write_table(pa.table({"_topic": ["payments"], "x": [1]}), tmp_path / "a.parquet")
    with pytest.raises(ClientError, match="lacks the columns _offset, _partition, country"):
        archive(tmp_path).poll()


class Reader:
    """A consumer that returns prepared records, then none."""

    def __init__(self, messages):
        self._messages = list(messages)

    def assign(self, places):
        # All three were empty at the lookup: they must not be read from a later end.
        assert [place.offset for place in places] == [0, 0, 0]

    def get_watermark_offsets(self, place, timeout):
        return 0, 0

    def offsets_for_times(self, places, timeout):
        return [TopicPartition(place.topic, place.partition, OFFSET_END) for place in places]

    def list_topics(self, timeout):
        topic = SimpleNamespace(partitions={0: None})
        return SimpleNamespace(topics=dict.fromkeys(("frauds", "bad", "metrics"), topic))

    def consume(self, count, timeout):
        batch, self._messages = self._messages[:count], self._messages[count:]
        return batch


def record(topic, offset, value, timestamp=0):
    headers = {"topic": "payments", "partition": 0, "offset": offset, "timestamp": 1000}
    pairs = [(f"source.{name}", str(item).encode()) for name, item in headers.items()]
    return Message(topic, 0, 0, b"k", json.dumps(value).encode(), pairs, timestamp)


def metric(count):
    value = {"window": {"start": "2026-03-01T12:00:00Z"}, "country": "DE", "payments": count}
    return Message("metrics", 0, 0, b"DE", json.dumps(value).encode())


def bad(offset):
    value = {"topic": "payments", "partition": 0, "offset": offset, "reason": "malformed"}
    return record("bad", offset, value)


def reconcile(tmp_path, messages, monkeypatch):
    monkeypatch.setattr(brokers, "BATCH", 2)
    ledger = Ledger("r1", "payments", 1, 4, started="2026-03-01T12:00:00.000Z", sent=4)
    part = ledger.partitions[0] = Partition()
    for offset, kind in enumerate(["valid", "fraud", "valid", "tombstone"]):
        part.add(offset, kind, 0, 0.1)
    write(tmp_path, "a.parquet", [row(0, 0), row(0, 1), row(0, 2)])
    outputs = Outputs(tmp_path, "frauds", "bad", "metrics")
    work = Reconciliation(ledger, outputs, Progress(io.StringIO()))
    return work.run(Reader(messages), Timeouts(total=5, stall=0.2))


def test_complete_run_reconciles_and_copies_are_counted(tmp_path, monkeypatch):
    fraud = record("frauds", 1, {}, timestamp=1250)
    messages = [metric(1), fraud, bad(3), metric(3), fraud]
    report = reconcile(tmp_path, messages, monkeypatch)
    assert report["differences"] == []
    assert report["frauds"]["repeated"] == 1
    assert report["latency_ms"]["p99"] == 250


def test_stalled_run_ends_and_reports_missing_records(tmp_path, monkeypatch):
    report = reconcile(tmp_path, [metric(2), bad(3)], monkeypatch)
    assert report["reconciled"] is False
    assert report["differences"] == [
        "1 frauds are not in the fraud topic: partition 0 offset 1",
        "1 of 1 windows have metrics that differ from the archive: 2026-03-01T12:00:00Z DE 2 "
        "instead of 3",
    ]
