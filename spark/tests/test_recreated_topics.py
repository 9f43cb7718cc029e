"""Recreated topics: they have another id, and old offsets do not belong to their records."""

import json
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.checkpoint import PURPOSE, CheckpointError, output_checkpoint
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.recreated import reset_offsets

FILES = LocalFiles()
OLD, NEW = {"in": "old-id"}, {"in": "new-id"}


def checkpoint(root: Path, **source: Any) -> Any:
    body = {
        "source": {"topic": "in", "schema": "id STRING", **source},
        "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
        "invalid": "bad",
        "checkpoint_root": str(root),
    }
    declared = parse("p", body)
    return output_checkpoint(declared, "all", declared.outputs[0])


def batch(location: str, number: int, end: int, made: bool = True) -> None:
    text = f'v1\n{{"batchWatermarkMs":0}}\n{{"in":{{"0":{end}}}}}'
    FILES.write(f"{location}/offsets/{number}", text)
    if made:
        FILES.write(f"{location}/commits/{number}", 'v1\n{"nextBatchWatermarkMs":0}')


def test_changed_topic_id_is_refused_with_remedies(tmp_path: Path) -> None:
    found = checkpoint(tmp_path)
    found.claim(FILES, "p", OLD)
    batch(found.location, 0, 10)
    assert found.result(FILES, OLD).state == "valid"
    for ask in (found.check, found.claim):
        with pytest.raises(CheckpointError) as error:
            ask(FILES, "p", NEW)
        for words in ("old-id before, new-id now", '{"in": {"0": 10}}', "on_data_loss: continue",
                      "another name", "make up"):  # fmt: skip
            assert words in str(error.value)
    # Nothing was stored: the next start is refused as well.
    assert found.result(FILES, NEW).state == "invalid"


def test_old_checkpoint_gets_the_current_ids_once(tmp_path: Path) -> None:
    found = checkpoint(tmp_path)
    FILES.write(f"{found.location}/{PURPOSE}", json.dumps(found.purpose))
    batch(found.location, 0, 10)
    found.claim(FILES, "p", OLD)
    assert found.result(FILES, NEW).state == "invalid"
    assert found.recreated(FILES, NEW) == ["in"]


def test_unread_topic_may_be_recreated(tmp_path: Path) -> None:
    found = checkpoint(tmp_path)
    found.claim(FILES, "p", OLD)
    assert found.result(FILES, NEW).state == "new"


def test_missing_topic_keeps_its_stored_id(tmp_path: Path) -> None:
    found = checkpoint(tmp_path)
    found.claim(FILES, "p", OLD)
    batch(found.location, 0, 10)
    found.claim(FILES, "p", {})
    assert found.result(FILES, NEW).state == "invalid"


@pytest.mark.parametrize("made", [True, False])
def test_recreated_topic_is_read_from_its_start_on_data_loss_continue(
    tmp_path: Path, made: bool
) -> None:
    found = checkpoint(tmp_path, on_data_loss="continue")
    found.claim(FILES, "p", OLD)
    FILES.write(f"{found.location}/sources/0/0", '\0v1\n{"in":{"0":3}}')
    for number in range(3):
        batch(found.location, number, 10 * (number + 1), made or number < 2)
    assert "first record of in" in found.result(FILES, NEW).reason
    reset_offsets(FILES, found.location, {"in": 2})
    found.claim(FILES, "p", NEW)
    assert found.planned(FILES) == found.committed(FILES) == (2 if made else 1)
    assert found.ends(FILES) == {"in": {"0": 0, "1": 0}}
    assert FILES.read(f"{found.location}/sources/0/0") == '\0v1\n{"in":{"0":0,"1":0}}'
    assert found.recreated(FILES, NEW) == []
    assert found.result(FILES, OLD).reason.startswith("continues at the first")


def test_purpose_survives_the_loss_of_one_copy(tmp_path: Path) -> None:
    found = checkpoint(tmp_path)
    found.claim(FILES, "p", OLD)
    batch(found.location, 0, 10)
    for name in ("kafka-metal.json", "kafka-metal.copy.json"):
        for content in ("", '{"source": "in", "top'):
            FILES.write(f"{found.location}/{name}", content)
            assert found.result(FILES, NEW).state == "invalid"
            found.claim(FILES, "p", OLD)
