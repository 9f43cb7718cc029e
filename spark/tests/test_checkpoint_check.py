"""The command ``check --checkpoints`` reports what a driver would refuse."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_pipeline import preparation
from kafka_metal_pipeline.checkpoint import CheckpointError
from kafka_metal_pipeline.cli import main
from pyspark.sql import SparkSession
from test_streaming import Place

SUMS = "SELECT n % {} AS odd, count(*) AS events FROM events GROUP BY n % {}"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the pauses between reads: no driver writes in these tests."""
    monkeypatch.setattr("kafka_metal_pipeline.checkpoint_check.PAUSE_S", 0)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    """A pipeline that has not run yet."""
    return Place(spark, tmp_path)


@pytest.fixture(scope="module")
def saved(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Path]:
    """A pipeline whose outputs have committed two batches each, and a copy of its files."""
    place = Place(spark, tmp_path_factory.mktemp("ran") / "pipeline")
    for _ in range(2):
        place.send()
        for name in ("kept", "sums", "invalid"):
            flow = place.flow(name)
            # Without brokers, rows for a topic are only computed.
            writer = preparation.prepare(flow, place.declared) or (lambda rows, _: rows.collect())
            flow.rows.writeStream.foreachBatch(writer).outputMode(flow.mode).option(
                "checkpointLocation", flow.checkpoint.location
            ).trigger(availableNow=True).start().awaitTermination()
    return place, shutil.copytree(place.root, place.root.with_name("saved"))


@pytest.fixture
def ran(saved: tuple[Place, Path]) -> Place:
    """The pipeline, with the files of its run only."""
    place, files = saved
    # At the same path: checkpoints have paths of their source.
    shutil.rmtree(place.root)
    shutil.copytree(files, place.root)
    return place


def check(place: Place, body: dict[str, Any], *options: str) -> int:
    file = place.root / "pipelines.yml"
    file.write_text(json.dumps({"p": body}))
    before = content(place)
    code = main(["check", "--checkpoints", *options, str(file)])
    assert content(place) == before, "a check wrote"
    return code


def content(place: Place) -> dict[Path, tuple[bytes, int]]:
    found = (file for root in ("checkpoints", "archive") for file in (place.root / root).rglob("*"))
    return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in found if file.is_file()}


def changed(place: Place, output: str, **keys: Any) -> dict[str, Any]:
    body = place.body()
    body["outputs"][output] |= keys
    return body


def test_unchanged_and_new_outputs_are_valid(ran: Place) -> None:
    new = ran.body()
    new["outputs"]["sums_by_3"] = {**new["outputs"]["sums"], "sql": SUMS.format(3, 3)}
    new["outputs"]["kept"]["partition_by"] = ["date"]

    assert check(ran, ran.body()) == 0
    assert check(ran, new) == 0
    assert check(ran, new, "--running", "p") == 0


@pytest.mark.parametrize("running", [[], ["--running", "p"]])
def test_changed_aggregate_is_refused_with_the_drivers_message(
    ran: Place, capsys: pytest.CaptureFixture[str], running: list[str]
) -> None:
    body = changed(ran, "sums", sql=SUMS.format(3, 3))

    assert check(ran, body, *running) == 2

    (printed,) = capsys.readouterr().err.splitlines()
    assert printed.startswith("pipeline p: output sums: no longer fits its checkpoint")
    assert "another statement than its state" in printed
    assert "give the output another name" in printed
    with pytest.raises(CheckpointError) as refused:
        ran.flow("sums", outputs=body["outputs"])
    prefixes = "pipeline p: output sums: ", "pipeline p: outputs.sums "
    assert printed.removeprefix(prefixes[0]) == str(refused.value).removeprefix(prefixes[1])


def test_each_mismatched_output_is_reported(ran: Place, capsys: pytest.CaptureFixture[str]) -> None:
    body = changed(ran, "kept", partition_by=[])
    body["source"]["topic"] = "other"

    assert check(ran, body) == 2

    printed = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in printed] == [
        "output kept", "output sums", "output invalid",
    ]  # fmt: skip
    assert all("reads topic other, but has offsets of topic in" in line for line in printed)


def test_unrepairable_damage_is_a_note(ran: Place, capsys: pytest.CaptureFixture[str]) -> None:
    sums = ran.root / "checkpoints" / "p" / "sums"
    (sums / "offsets" / "1").write_bytes(b"")
    (sums / "commits" / ".1.crc").write_bytes(b"")
    assert check(ran, ran.body()) == 0
    assert "note" not in capsys.readouterr().out

    shutil.rmtree(sums / "offsets")
    assert check(ran, ran.body()) == 0
    assert "note: pipeline p: output sums: has committed batches up to 1" in capsys.readouterr().out
    # An unchanged output of a running driver is not checked for damage.
    assert check(ran, ran.body(), "--running", "p") == 0
    assert "note" not in capsys.readouterr().out


def test_foreign_archive_of_a_new_output_is_refused(
    ran: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (ran.root / "archive" / "found").mkdir()
    (ran.root / "archive" / "found" / "part.parquet").touch()
    body = ran.body()
    body["outputs"]["more"] = {"path": "found"}

    assert check(ran, body, "--running", "p") == 2
    assert "output more: writes the archive" in capsys.readouterr().err


def test_batch_in_progress_is_not_damage(ran: Place) -> None:
    # Planned and staged with its mark, but neither moved nor committed.
    kept, mark = ran.root / "checkpoints" / "p" / "kept", ran.root / "archive" / "kept"
    shutil.copy(kept / "offsets" / "1", kept / "offsets" / "2")
    staged = mark / "_staging" / "2-abc"
    staged.mkdir(parents=True)
    text = json.loads((mark / "_mark.json").read_text()) | {"batch": 2}
    (staged / "_mark.json").write_text(json.dumps(text))
    (staged / "part.parquet").touch()

    assert check(ran, ran.body()) == 0


def test_checkpoints_that_are_not_local_are_a_note(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(place, place.body(checkpoint_root="hdfs://name:8020/checkpoints")) == 0
    printed = capsys.readouterr().out
    assert "pipeline p: output sums: its checkpoint hdfs://name:8020/checkpoints/p/sums" in printed
    assert "only its driver checks it" in printed
