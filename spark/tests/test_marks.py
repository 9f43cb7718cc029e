"""Batches after a crash at any point, and checkpoints that do not match the target's mark."""

import json
from typing import Any

import pytest
from kafka_metal_pipeline.marks import (
    Batches,
    LostCheckpointError,
    Mark,
    end_offsets,
    mark_to_restore,
)

OFFSETS = 'v1\n{"batchWatermarkMs":0}\n{"in":{"0":10,"1":7}}'
WHO = "pipeline p: outputs.o"


class Crash(RuntimeError):
    """Simulates the death of the driver."""


class Folder:
    """Files in memory."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {"c/metadata": '{"id":"one"}'}

    def names(self, directory: str) -> list[str]:
        return [name.rpartition("/")[2] for name in self.texts if name.startswith(f"{directory}/")]

    def read(self, file: str) -> str | None:
        return self.texts.get(file)

    def write(self, file: str, text: str) -> None:
        self.texts[file] = text


class Target:
    """Writes rows and mark atomically; may raise Crash before or after that."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.last: Mark | None = None
        self.dies = ""

    def mark(self) -> Mark | None:
        return self.last

    def write(self, rows: Any, mark: Mark) -> None:
        if self.dies == "before":
            raise Crash
        self.rows += rows
        self.last = mark
        if self.dies == "after":
            raise Crash


def plan(files: Folder, batch: int) -> None:
    files.write(f"c/offsets/{batch}", f'v1\n{{}}\n{{"in":{{"0":{10 * (batch + 1)}}}}}')


def run(files: Folder, target: Target, batch: int) -> None:
    """Run a new driver: it resumes after the newest planned batch and writes that."""
    batches = Batches(files, "c", target, WHO)
    batches.resume(max((int(n) for n in files.names("c/offsets")), default=-1))
    batches([f"row {batch}"], batch)


@pytest.mark.parametrize("dies", ["before", "after"])
def test_batch_is_written_once_whenever_the_driver_dies(dies: str) -> None:
    files, target = Folder(), Target()
    plan(files, 0)
    run(files, target, 0)
    plan(files, 1)
    target.dies = dies
    with pytest.raises(Crash):
        run(files, target, 1)
    target.dies = ""
    run(files, target, 1)
    assert target.rows == ["row 0", "row 1"]


def test_lost_offsets_are_restored_from_the_mark() -> None:
    files, target = Folder(), Target()
    plan(files, 0)
    run(files, target, 0)
    text = files.texts.pop("c/offsets/0")
    Batches(files, "c", target, WHO).resume(-1)
    assert files.texts["c/offsets/0"] == text


@pytest.mark.parametrize(
    ("checkpoint", "planned", "message"),
    [
        (None, -1, "its checkpoint now is a new one"),
        ("two", 9, "its checkpoint now is two"),
        ("one", 2, "only up to 2: it was replaced by an older copy"),
        ("one", -1, "has none: it was replaced by an older copy"),
    ],
)
def test_mismatched_checkpoint_is_refused(
    checkpoint: str | None, planned: int, message: str
) -> None:
    with pytest.raises(LostCheckpointError) as error:
        mark_to_restore(Mark("one", 4, OFFSETS), checkpoint, planned, WHO)
    assert message in str(error.value)
    assert str(error.value).startswith(WHO)
    assert "another name" in str(error.value)


@pytest.mark.parametrize(("mark", "planned"), [(None, -1), (None, 5), (4, 4), (4, 5)])
def test_matching_checkpoint_is_valid(mark: int | None, planned: int) -> None:
    found = Mark("one", mark, OFFSETS) if mark is not None else None
    assert mark_to_restore(found, "one", planned, WHO) is None


def test_repeated_old_batch_is_an_error() -> None:
    files, target = Folder(), Target()
    batches = Batches(files, "c", target, WHO)
    batches([], 3)
    with pytest.raises(LostCheckpointError, match="batch 2 was repeated out of order"):
        batches([], 2)


def test_batch_end_has_the_form_of_starting() -> None:
    assert end_offsets(OFFSETS) == {"in": {"0": 10, "1": 7}}
    assert end_offsets('v1\n{}\n{"logOffset":3}') == {}
    assert end_offsets("") == {}
    with pytest.raises(LostCheckpointError, match=json.dumps({"in": {"0": 10}})[1:-1]):
        mark_to_restore(Mark("one", 0, 'v1\n{}\n{"in":{"0":10}}'), None, -1, WHO)


def test_stateless_query_continues_from_the_mark() -> None:
    assert mark_to_restore(Mark("one", 9, OFFSETS), "one", 2, WHO, False) == Mark("one", 9, OFFSETS)
    files, target = Folder(), Target()
    for batch in range(3):
        plan(files, batch)
        run(files, target, batch)
    for batch in (1, 2):
        del files.texts[f"c/offsets/{batch}"]
    assert Batches(files, "c", target, WHO).resume(0, 0) == 2
    assert "c/offsets/2" in files.texts


def test_missing_mark_during_a_batch_is_refused() -> None:
    files, target = Folder(), Target()
    plan(files, 0)
    run(files, target, 0)
    target.last = None
    plan(files, 1)
    # Between two batches, target and checkpoint agree.
    assert Batches(files, "c", target, WHO).resume(1, 1) is None
    with pytest.raises(LostCheckpointError, match="batch 1 may or may not be in the target"):
        Batches(files, "c", target, WHO).resume(1, 0)


def test_truncated_mark_is_none() -> None:
    whole = Mark("one", 4, OFFSETS).to_text()
    assert Mark.if_whole(whole) == Mark("one", 4, OFFSETS)
    for text in (None, "", whole[: len(whole) // 2], "{}", "null"):
        assert Mark.if_whole(text) is None


def test_state_of_a_written_batch_is_recomputed() -> None:
    class Rows(list):
        """Rows that record whether they were read."""

        read = False

        def __getattr__(self, _: str) -> Any:
            return self

        def __call__(self, _: str) -> Any:
            return self

        def save(self) -> None:
            self.read = True

    for stateful in (True, False):
        files, target = Folder(), Target()
        if stateful:
            files.write("c/state/0/0/1.delta", "")
            files.names = lambda _: ["state"]  # type: ignore[method-assign]
        batches = Batches(files, "c", target, WHO)
        batches([], 0)
        rows = Rows()
        batches(rows, 0)
        assert rows.read == stateful


def test_guard_prevents_a_write() -> None:
    files, target = Folder(), Target()

    def guard() -> None:
        raise Crash

    with pytest.raises(Crash):
        Batches(files, "c", target, WHO, guard)(["row"], 0)
    assert target.rows == []
