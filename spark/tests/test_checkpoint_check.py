"""The command ``check --checkpoints`` says before a start what the driver would refuse."""

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
    """Nothing writes meanwhile: no need to wait before files are read again."""
    monkeypatch.setattr("kafka_metal_pipeline.checkpoint_check.PAUSE_S", 0)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    """A pipeline that has not run."""
    return Place(spark, tmp_path)


@pytest.fixture
def ran(place: Place) -> Place:
    """A pipeline whose outputs made two batches each."""
    for _ in range(2):
        place.send()
        for name in ("kept", "sums", "invalid"):
            flow = place.flow(name)
            # There are no brokers: what goes to a topic is only computed.
            writer = preparation.prepare(flow, place.declared) or (lambda rows, _: rows.collect())
            flow.rows.writeStream.foreachBatch(writer).outputMode(flow.mode).option(
                "checkpointLocation", flow.checkpoint.location
            ).trigger(availableNow=True).start().awaitTermination()
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


def test_what_runs_and_what_is_new_can_go_on(ran: Place) -> None:
    new = ran.body()
    new["outputs"]["sums_by_3"] = {**new["outputs"]["sums"], "sql": SUMS.format(3, 3)}
    new["outputs"]["kept"]["partition_by"] = ["date"]

    assert check(ran, ran.body()) == 0
    assert check(ran, new) == 0
    assert check(ran, new, "--running", "p") == 0


@pytest.mark.parametrize("running", [[], ["--running", "p"]])
def test_a_changed_aggregate_is_refused_in_the_words_of_the_driver(
    ran: Place, capsys: pytest.CaptureFixture[str], running: list[str]
) -> None:
    body = changed(ran, "sums", sql=SUMS.format(3, 3))

    assert check(ran, body, *running) == 2

    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("pipeline p: output sums: no longer fits its checkpoint")
    assert "another statement than its state" in said
    assert "give the output another name" in said
    with pytest.raises(CheckpointError) as refused:
        ran.flow("sums", outputs=body["outputs"])
    words = "pipeline p: output sums: ", "pipeline p: outputs.sums "
    assert said.removeprefix(words[0]) == str(refused.value).removeprefix(words[1])


def test_every_output_that_does_not_fit_is_named(
    ran: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    body = changed(ran, "kept", partition_by=[])
    body["source"]["topic"] = "other"

    assert check(ran, body) == 2

    said = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in said] == [
        "output kept", "output sums", "output invalid",
    ]  # fmt: skip
    assert all("reads topic other, but has offsets of topic in" in line for line in said)


def test_damage_that_a_driver_cannot_mend_is_noted_and_refuses_no_run(
    ran: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = ran.root / "checkpoints" / "p" / "sums"
    (sums / "offsets" / "1").write_bytes(b"")
    (sums / "commits" / ".1.crc").write_bytes(b"")
    assert check(ran, ran.body()) == 0
    assert "note" not in capsys.readouterr().out

    shutil.rmtree(sums / "offsets")
    assert check(ran, ran.body()) == 0
    assert "note: pipeline p: output sums: has committed batches up to 1" in capsys.readouterr().out
    # What a running driver is to go on with is not searched.
    assert check(ran, ran.body(), "--running", "p") == 0
    assert "note" not in capsys.readouterr().out


def test_an_archive_of_somebody_else_is_refused_before_a_new_output_starts(
    ran: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (ran.root / "archive" / "found").mkdir()
    (ran.root / "archive" / "found" / "part.parquet").touch()
    body = ran.body()
    body["outputs"]["more"] = {"path": "found"}

    assert check(ran, body, "--running", "p") == 2
    assert "output more: writes the archive" in capsys.readouterr().err


def test_a_batch_that_a_driver_is_just_writing_is_no_damage(ran: Place) -> None:
    # Planned, its rows staged with their mark, and neither published nor committed.
    kept, mark = ran.root / "checkpoints" / "p" / "kept", ran.root / "archive" / "kept"
    shutil.copy(kept / "offsets" / "1", kept / "offsets" / "2")
    staged = mark / "_staging" / "2-abc"
    staged.mkdir(parents=True)
    text = json.loads((mark / "_mark.json").read_text()) | {"batch": 2}
    (staged / "_mark.json").write_text(json.dumps(text))
    (staged / "part.parquet").touch()

    assert check(ran, ran.body()) == 0


def test_checkpoints_in_a_store_are_left_to_the_driver_and_that_is_said(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(place, place.body(checkpoint_root="hdfs://name:8020/checkpoints")) == 0
    said = capsys.readouterr().out
    assert "pipeline p: output sums: its checkpoint hdfs://name:8020/checkpoints/p/sums" in said
    assert "only its driver checks it" in said
