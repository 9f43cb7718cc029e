"""Streams over files instead of a topic: restarts, the archive, and mismatched checkpoints."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline import cores, counts, preparation, progress, queries
from kafka_metal_pipeline.archive import SINK_LOG
from kafka_metal_pipeline.archive_check import archive_checks
from kafka_metal_pipeline.checkpoint import CheckpointError, latest_batch
from kafka_metal_pipeline.cli import main
from kafka_metal_pipeline.queries import Flow, flows
from kafka_metal_pipeline.stopping import stop_between_batches
from kafka_metal_pipeline.storage import Storage
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

try:
    from pyarrow import dataset
except ImportError:
    dataset = None

SCHEMA = "key BINARY, value BINARY, topic STRING, partition INT, offset LONG, timestamp TIMESTAMP"
BATCH = 10


class Place:
    """A pipeline with a folder as topic: each file is the input of one batch."""

    def __init__(self, spark: SparkSession, root: Path) -> None:
        self.spark = spark
        self.root = root
        self.topic = root / "topic"
        self.topic.mkdir(parents=True)
        self.sent = 0

    def send(self, valid: int = BATCH, invalid: int = 1) -> None:
        """Write valid events, then invalid records."""
        rows = [
            {"value": json.dumps({"id": f"e{n}", "n": n, "at": f"2026-05-0{1 + n % 2}T12:00:00Z"})}
            for n in range(valid)
        ] + [{"value": "no JSON"}] * invalid
        lines = [
            json.dumps(row | {"topic": "in", "partition": 0, "offset": self.sent + n})
            for n, row in enumerate(rows)
        ]
        self.sent += len(rows)
        file = self.root / "new.json"
        file.write_text("\n".join(lines))
        file.rename(self.topic / f"{self.sent:05d}.json")

    def records(self) -> DataFrame:
        schema = SCHEMA.replace("value BINARY", "value STRING")
        reader = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        stream = reader.json(str(self.topic))
        return stream.withColumn("value", stream["value"].cast("binary"))

    def flow(self, name: str, **changes: Any) -> Flow:
        self.declared = parse("p", self.body(**changes))
        (found,) = [f for f in flows(self.records(), self.declared) if f.name == name]
        found.checkpoint.claim(Storage(self.spark), f"pipeline p: outputs.{name}")
        return found

    def body(self, **changes: Any) -> dict[str, Any]:
        return {
            "name": "p",
            "source": {"topic": "in", "schema": "id STRING NOT NULL, n INT, at TIMESTAMP NOT NULL"},
            "outputs": {
                "kept": {"path": "kept", "partition_by": ["date"]},
                "sums": {
                    "sql": "SELECT n % 2 AS odd, count(*) AS events FROM events GROUP BY n % 2",
                    "topic": "sums",
                    "mode": "update",
                },
            },
            "invalid": "bad",
            "trigger": "available-now",
            "resources": {"cores": 2},
            "checkpoint_root": str(self.root / "checkpoints"),
            "archive_root": str(self.root / "archive"),
            **changes,
        }

    def start(self, flow: Flow) -> StreamingQuery:
        return queries.start(flow, self.declared, preparation.prepare(flow, self.declared))

    def run(self, flow: Flow) -> StreamingQuery:
        query = self.start(flow)
        query.awaitTermination()
        return query

    def archived(self) -> list[int]:
        """Offsets in the archive as read by Spark; pyarrow, which ignores sink logs, must agree."""
        kept = self.root / "archive" / "kept"
        found = sorted(row["_offset"] for row in self.spark.read.parquet(str(kept)).collect())
        if dataset:
            table = dataset.dataset(str(kept), partitioning="hive").to_table(["_offset"])
            assert sorted(table["_offset"].to_pylist()) == found
        return found

    def valid_offsets(self) -> list[int]:
        return [n for n in range(self.sent) if n % (BATCH + 1) != BATCH]


def forget(log: Path, batch: int) -> None:
    """Remove a batch from a Spark log, as if it had not been written yet."""
    (log / str(batch)).unlink()
    (log / f".{batch}.crc").unlink()


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    yield Place(spark, tmp_path)
    for query in spark.streams.active:
        query.stop()


def test_archive_has_each_event_once_after_a_crash(
    place: Place,
) -> None:
    place.send()
    place.send()
    place.run(place.flow("kept"))
    assert place.archived() == place.valid_offsets()
    kept, checkpoint = place.root / "archive" / "kept", place.root / "checkpoints" / "p" / "kept"

    # Killed after the archive had the batch, but before the checkpoint did. The newest offsets file
    # is missing too, so a newly planned batch would differ. A later batch was being written.
    forget(checkpoint / "commits", 1)
    forget(checkpoint / "offsets", 1)
    part = kept / "_staging" / "2-killed" / "date=2026-05-01" / "part-0.c000.zstd.parquet"
    part.parent.mkdir(parents=True)
    part.touch()
    place.send()
    place.run(place.flow("kept"))
    assert place.archived() == place.valid_offsets()
    assert not list((kept / "_staging").iterdir())


def collect(place: Place, name: str) -> list[Row]:
    """Run an output of a topic over all input; return the rows that it would write."""
    found: list[Row] = []
    flow = place.flow(name)
    preparation.prepare(flow, place.declared)
    query = (
        flow.rows.writeStream.foreachBatch(lambda rows, _: found.extend(rows.collect()))
        .outputMode(flow.mode)
        .option("checkpointLocation", flow.checkpoint.location)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found


def empty(log: Path, batch: int) -> None:
    """Empty a file, as a power failure may do to a file that was just written."""
    (log / str(batch)).write_bytes(b"")
    (log / f".{batch}.crc").unlink()


@pytest.mark.parametrize("name", ["kept", "sums", "invalid"])
def test_checkpoint_without_newest_file_continues_without_loss(place: Place, name: str) -> None:
    results: list[Row] = []
    # First with the first batch of all, whose start offsets are stored separately.
    for fault, log in ((forget, "offsets"), (empty, "offsets"), (empty, "commits"), (None, "")):
        place.send()
        if name == "kept":
            place.run(place.flow(name))
        else:
            results += collect(place, name)
        if fault:
            folder = place.root / "checkpoints" / "p" / name / log
            fault(folder, latest_batch([file.name for file in folder.iterdir()]))
    if name == "kept":
        assert place.archived() == place.valid_offsets()
    elif name == "sums":
        newest = {row["key"]: json.loads(row["value"]) for row in results}
        assert {each["events"] for each in newest.values()} == {4 * BATCH // 2}
    else:
        found = {json.loads(row["value"])["offset"] for row in results}
        assert found == set(range(place.sent)) - set(place.valid_offsets())


def test_lost_batches_are_repeated(place: Place) -> None:
    results: list[Row] = []
    for _ in range(3):
        place.send()
        results += collect(place, "invalid")
    offsets = place.root / "checkpoints" / "p" / "invalid" / "offsets"
    for batch in (1, 2):
        forget(offsets, batch)
    place.send()
    results += collect(place, "invalid")
    found = [json.loads(row["value"])["offset"] for row in results]
    assert set(found) == set(range(place.sent)) - set(place.valid_offsets())
    assert len(found) == 4 + 2


def test_checkpoint_without_offsets_is_refused(place: Place) -> None:
    for _ in range(2):
        place.send()
        collect(place, "invalid")
    shutil.rmtree(place.root / "checkpoints" / "p" / "invalid" / "offsets")
    with pytest.raises(CheckpointError, match=r"offsets of all batches are .*make up"):
        place.flow("invalid")


def test_invalid_records_have_their_own_checkpoint(place: Place) -> None:
    seen: list[int] = []
    for _ in range(2):
        place.send()
        flow = place.flow("invalid")
        query = (
            flow.rows.writeStream.format("json")
            .option("path", str(place.root / "bad"))
            .option("checkpointLocation", flow.checkpoint.location)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        rows = place.spark.read.json(str(place.root / "bad")).collect()
        seen = sorted(json.loads(row["value"])["offset"] for row in rows)
    assert seen == [BATCH, 2 * BATCH + 1]


def count(place: Place) -> tuple[counts.Records, list[Any]]:
    """Run the query of invalid records over all input; return its records and batches."""
    flow = place.flow("invalid")
    query = (
        flow.rows.writeStream.format("noop")
        .option("checkpointLocation", flow.checkpoint.location)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    batches = progress.batches_since(query, -1)
    return counts.of_batches(batches), batches


def test_every_record_is_counted_once(place: Place) -> None:
    reason = "malformed: the value is not JSON"
    place.send()
    place.send()
    found, batches = count(place)
    both = counts.Records(2 * (BATCH + 1), 2, reason)
    assert found == both
    # A batch that was not committed is repeated, and counted by the driver that completes it.
    forget(place.root / "checkpoints" / "p" / "invalid" / "commits", 1)
    place.send()
    assert count(place)[0] == both
    # A report that was counted before is not counted again.
    query: Any = SimpleNamespace(recentProgress=batches)
    assert counts.of_batches(progress.batches_since(query, 0)) == counts.Records(
        BATCH + 1, 1, reason
    )


def test_batch_without_invalid_records_has_no_reason(place: Place) -> None:
    place.send(invalid=0)
    assert count(place)[0] == counts.Records(BATCH, 0, "")


def test_output_without_rejected_records_counts_nothing(place: Place) -> None:
    place.send()
    query = place.run(place.flow("kept"))
    assert counts.of_batches(progress.batches_since(query, -1)) == counts.Records()


def test_deleted_file_of_an_archive_is_found(place: Place) -> None:
    place.send()
    place.run(place.flow("kept"))
    (check,) = archive_checks(place.declared, Storage(place.spark)).values()
    assert check.run() == {"files": 2, "missing": 0, "rows": 0, "first": ""}
    kept = place.root / "archive" / "kept"
    gone = sorted(kept.glob("date=*/*.parquet"))[0]
    gone.unlink()
    name = gone.relative_to(kept).as_posix()
    assert check.run() == {"files": 2, "missing": 1, "rows": BATCH // 2, "first": name}


def test_archive_ahead_of_its_checkpoint_is_refused(place: Place) -> None:
    place.send()
    place.run(place.flow("kept"))
    shutil.rmtree(place.root / "checkpoints")
    with pytest.raises(
        CheckpointError, match=r"up to batch 0 from checkpoint .* but its checkpoint now is"
    ):
        place.flow("kept")


def test_recreated_checkpoint_of_an_archive_is_refused(place: Place) -> None:
    place.send()
    flow = place.flow("kept")
    place.run(flow)
    shutil.rmtree(place.root / "checkpoints")
    with pytest.raises(CheckpointError, match="its checkpoint now is a new one"):
        preparation.prepare(flow, place.declared)


def test_archive_of_sparks_own_sink_is_refused(place: Place) -> None:
    kept = place.root / "archive" / "kept"
    (kept / SINK_LOG).mkdir(parents=True)
    with pytest.raises(CheckpointError, match="Spark ignores other files"):
        place.flow("kept")
    (kept / SINK_LOG).rename(kept / "date=2026-05-01")
    with pytest.raises(CheckpointError, match="no pipeline wrote"):
        place.flow("kept")


def test_plan_reports_each_outputs_checkpoint(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.send()
    place.run(place.flow("kept"))
    file = place.root / "p.yml"

    def planned(**changes: Any) -> tuple[int, list[str]]:
        file.write_text(json.dumps(place.body(**changes)))
        return main(["plan", str(file), "--name", "p"]), capsys.readouterr().out.splitlines()

    code, lines = planned()
    assert code == 0
    assert [line.split(": ")[2] for line in lines] == ["valid", "new", "new"]
    code, lines = planned(outputs={"kept": {"path": "kept"}})
    assert code == 2
    assert "outputs.kept: invalid" in lines[0]
    assert "another name" in lines[0]


def with_source(topic: str) -> dict[str, Any]:
    schema = "id STRING NOT NULL, n INT, at TIMESTAMP NOT NULL"
    return {"source": {"topic": topic, "schema": schema}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (with_source("other"), "reads topic other, but has offsets of topic in"),
        ({"outputs": {"kept": {"path": "new"}}}, "writes the archive new, but its rows so far"),
        ({"outputs": {"kept": {"path": "kept"}}}, "partitions the archive by , so far by date"),
    ],
)
def test_mismatched_declaration_is_refused(
    place: Place, changes: dict[str, Any], message: str
) -> None:
    place.flow("kept")
    with pytest.raises(CheckpointError) as error:
        place.flow("kept", **changes)
    assert message in str(error.value)
    assert "another name" in str(error.value)


def test_stateless_statement_may_change(place: Place) -> None:
    place.flow("kept")
    some = {"path": "kept", "partition_by": ["date"], "sql": "SELECT * FROM events WHERE n > 5"}
    place.flow("kept", outputs={"kept": some})


def test_stateful_statement_may_not_change(place: Place) -> None:
    place.send()
    flow = place.flow("sums")
    writer = flow.rows.writeStream.format("noop").outputMode("update")
    writer.option("checkpointLocation", flow.checkpoint.location).trigger(
        availableNow=True
    ).start().awaitTermination()
    other = {"sql": "SELECT n, count(*) FROM events GROUP BY n", "topic": "sums", "mode": "update"}
    with pytest.raises(CheckpointError, match="another statement than its state"):
        place.flow("sums", outputs={"sums": other})


def test_progress_has_batch_rows_and_seconds(place: Place) -> None:
    place.send()
    query = place.run(place.flow("kept"))
    found = progress.query_progress(query)
    assert (found["batch"], found["input_rows"]) == (0, BATCH + 1)
    assert found["batch_seconds"] > 0
    assert found["updated"].startswith("20")


@pytest.mark.parametrize(
    ("message", "data", "lag"),
    [
        ("Waiting for data to arrive", False, 0),
        ("Waiting for next trigger", False, 0),
        ("Processing new data", True, 1),
    ],
)
def test_running_batch_counts_as_lag(message: str, data: bool, lag: int) -> None:
    caught_up = {"latestOffset": {"in": {"0": 7}}, "endOffset": {"in": {"0": 7}}}
    last = {
        **{"batchId": 3, "numInputRows": 7, "processedRowsPerSecond": 7.0, "batchDuration": 1000},
        **{"timestamp": "2026-05-01T12:00:00Z", "sources": [caught_up]},
    }
    status = {"message": message, "isTriggerActive": data, "isDataAvailable": data}
    query: Any = SimpleNamespace(lastProgress=last, isActive=True, status=status)
    assert progress.query_progress(query)["lag"] == lag


def test_queries_are_stopped_between_batches(place: Place, eventually: Callable[..., None]) -> None:
    place.send()
    flow = place.flow("kept", trigger="1 second")
    query = place.start(flow)
    eventually(lambda: query.lastProgress is not None)
    stop_between_batches({"kept": query}, 20)
    assert not query.isActive
    assert query.exception() is None
    assert place.archived() == place.valid_offsets()


ONLY = {"outputs": {"kept": {"path": "kept"}}, "resources": {"cores": 3}}


@pytest.mark.parametrize(
    ("output", "changes", "tasks"),
    [
        ("kept", {"resources": {"cores": 3}}, 2),
        ("kept", {"resources": {"cores": 9}}, 4),
        # With one core there is no core to keep free.
        ("kept", {"resources": {"cores": 1}}, 4),
        # A single output delays no other output, and only invalid records share its cores.
        ("kept", ONLY, 4),
        ("invalid", ONLY, 2),
    ],
)
def test_output_with_target_down_leaves_a_core_free(
    place: Place, output: str, changes: dict[str, Any], tasks: int
) -> None:
    declared = parse("p", place.body(**changes))
    rows = place.spark.range(0, 8, numPartitions=4)
    assert cores.with_spare_core(rows, declared, output).rdd.getNumPartitions() == tasks
