"""The check of checkpoints needs no Spark, changes no file, and passes what is not there."""

import json
import os

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline import checkpoint_check
from kafka_metal_pipeline.checkpoint import all_of
from kafka_metal_pipeline.cli import main
from kafka_metal_pipeline.local_files import LocalFiles

COUNTS = "SELECT {0}, count(*) AS events FROM events GROUP BY {0}"


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Seconds that the check waited, none of them really."""
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


def ran(root, body):
    """The checkpoints of a pipeline that made two batches."""
    files, ends = LocalFiles(), json.dumps({"payments": {"0": 7}})
    for name, checkpoint in all_of(parse("payments", body)).items():
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


def test_a_pipeline_that_never_ran_can_start(tmp_path):
    assert check(tmp_path, declared(tmp_path)) == 0
    assert not (tmp_path / "checkpoints").exists()


def test_another_grouping_is_refused_for_its_output_alone(tmp_path, capsys):
    ran(tmp_path, declared(tmp_path))
    assert check(tmp_path, declared(tmp_path)) == 0

    assert check(tmp_path, declared(tmp_path, group="currency"), "--running", "payments") == 2

    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("pipeline payments: output metrics: no longer fits its checkpoint")
    assert "GROUP BY country" in said
    assert 'With starting: {"payments": {"0": 7}} it continues where this one ended' in said


def test_a_renamed_topic_is_refused_for_every_output(tmp_path, capsys):
    ran(tmp_path, declared(tmp_path))

    assert check(tmp_path, declared(tmp_path, topic="other")) == 2

    said = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in said] == [
        "output metrics", "output all", "output invalid",
    ]  # fmt: skip


def test_a_state_without_a_checksum_is_no_damage_where_nobody_can_read_it(tmp_path):
    """Its rows are compressed: a driver reads them."""
    ran(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    sums = state.with_name(".1.delta.crc")
    sums.write_bytes(b"")

    assert check(tmp_path, declared(tmp_path)) == 0
    # A driver removes it.
    assert sums.exists()


def test_what_is_only_so_for_a_moment_is_not_told(tmp_path, pauses, monkeypatch, capsys):
    """A driver replaces files while they are read."""
    ran(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    away = state.with_name("away")
    state.rename(away)

    def pause(seconds):
        pauses.append(seconds)
        os.rename(away, state)

    monkeypatch.setattr(checkpoint_check.time, "sleep", pause)
    assert check(tmp_path, declared(tmp_path)) == 0
    assert len(pauses) == 1
    assert "note" not in capsys.readouterr().out


def test_lost_state_is_told_of_a_driver_that_does_not_run_and_stops_no_run(tmp_path, capsys):
    ran(tmp_path, declared(tmp_path))
    (state,) = tmp_path.rglob("1.delta")
    state.unlink()

    assert check(tmp_path, declared(tmp_path), "--running", "payments") == 0
    assert "note" not in capsys.readouterr().out
    assert check(tmp_path, declared(tmp_path), "--running", "another") == 0
    said = capsys.readouterr().out
    assert "note: pipeline payments: output metrics: has committed batches" in said
