"""The check of checkpoints needs no Spark, changes no file, and accepts missing checkpoints."""

import json
import os

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline import checkpoint_check
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.cli import main
from kafka_metal_pipeline.local_files import LocalFiles

COUNTS = "SELECT {0}, count(*) AS events FROM events GROUP BY {0}"


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Record the pauses of the check, in seconds, without waiting."""
    found = []
    monkeypatch.setattr(checkpoint_check.time, "sleep", found.append)
    return found


def declared(root, group="country", topic="payments"):
    return {
        "source": {"topic": topic, "schema": "country STRING NOT NULL, currency STRING NOT NULL"},
        "outputs": {
            "metrics": {
                "sql": COUNTS.format(group), "topic": "m", "key": group, "mode": "update",
            },
            "all": {"sql": "SELECT * FROM events", "topic": "all"},
        },
        "invalid": "bad",
        "checkpoint_root": f"{root}/checkpoints",
        "archive_root": f"{root}/archive",
    }  # fmt: skip


def write_checkpoints(root, body):
    """Write the checkpoints of a pipeline with two batches."""
    files, ends = LocalFiles(), json.dumps({"payments": {"0": 7}})
    for name, checkpoint in all_checkpoints(parse("payments", body)).items():
        checkpoint.claim(files, name)
        head = json.dumps({"batchWatermarkMs": 0})
        for batch in (0, 1):
            files.write(f"{checkpoint.location}/offsets/{batch}", f"v1\n{head}\n{ends}")
            files.write(f"{checkpoint.location}/commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
            if name == "metrics":
                files.write(f"{checkpoint.location}/state/0/0/{batch + 1}.delta", "rows")


def check(root, body, *options):
    file = root / "pipelines.yml"
    file.write_text(json.dumps({"payments": body}))
    return main(["check", "--checkpoints", *options, str(file)])


def test_pipeline_without_checkpoint_can_start(tmp_path):
    assert check(tmp_path, declared(tmp_path)) == 0
    assert not (tmp_path / "checkpoints").exists()


def test_changed_grouping_is_refused_only_for_its_output(tmp_path, capsys):
    write_checkpoints(tmp_path, declared(tmp_path))
    assert check(tmp_path, declared(tmp_path)) == 0

    assert check(tmp_path, declared(tmp_path, group="currency"), "--running", "payments") == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pipeline payments: output metrics: no longer fits its checkpoint")
    assert "GROUP BY country" in line
    assert 'With starting: {"payments": {"0": 7}} it continues where this one ended' in line


def test_renamed_topic_is_refused_for_every_output(tmp_path, capsys):
    write_checkpoints(tmp_path, declared(tmp_path))

    assert check(tmp_path, declared(tmp_path, topic="other")) == 2

    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "output metrics", "output all", "output invalid",
    ]  # fmt: skip


def test_state_without_checksum_is_no_damage(tmp_path):
    """Only a driver can read the compressed rows."""
    write_checkpoints(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    sums = state.with_name(".1.delta.crc")
    sums.write_bytes(b"")

    assert check(tmp_path, declared(tmp_path)) == 0
    # A driver removes it.
    assert sums.exists()


def test_temporary_fault_is_not_reported(tmp_path, pauses, monkeypatch, capsys):
    """A driver may replace files during the check."""
    write_checkpoints(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    moved = state.with_name("moved")
    state.rename(moved)

    def pause(seconds):
        pauses.append(seconds)
        os.rename(moved, state)

    monkeypatch.setattr(checkpoint_check.time, "sleep", pause)
    assert check(tmp_path, declared(tmp_path)) == 0
    assert len(pauses) == 1
    assert "note" not in capsys.readouterr().out


def test_lost_state_of_a_stopped_driver_is_a_note(tmp_path, capsys):
    write_checkpoints(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    state.unlink()

    assert check(tmp_path, declared(tmp_path), "--running", "payments") == 0
    assert "note" not in capsys.readouterr().out
    assert check(tmp_path, declared(tmp_path), "--running", "another") == 0
    output = capsys.readouterr().out
    assert "note: pipeline payments: output metrics: has committed batches" in output
