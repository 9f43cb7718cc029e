"""What happens to a batch after a crash at any point, and to a checkpoint that is not the one."""

import json
from typing import Any

import pytest
from kafka_metal_pipeline.marks import Batches, LostCheckpointError, Mark, ends_of, restored

OFFSETS = 'v1\n{"batchWatermarkMs":0}\n{"in":{"0":10,"1":7}}'
WHO = "pipeline p: outputs.o"


class Crash(RuntimeError):
    """The driver dies here."""


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
    """Keeps rows and mark in one step; dies before or after it when told to."""

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
    """A new driver: it resumes with the newest batch that was planned, and writes that one."""
    batches = Batches(files, "c", target, WHO)
    batches.resume(max((int(n) for n in files.names("c/offsets")), default=-1))
    batches([f"row {batch}"], batch)


@pytest.mark.parametrize("dies", ["before", "after"])
def test_a_batch_is_written_once_whenever_the_driver_dies(dies: str) -> None:
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


def test_the_offsets_of_a_written_batch_come_back_when_their_file_is_lost() -> None:
    files, target = Folder(), Target()
    plan(files, 0)
    run(files, target, 0)
    text = files.texts.pop("c/offsets/0")
    Batches(files, "c", target, WHO).resume(-1)
    assert files.texts["c/offsets/0"] == text


@pytest.mark.parametrize(
    ("checkpoint", "planned", "told"),
    [
        (None, -1, "its checkpoint now is a new one"),
        ("two", 9, "its checkpoint now is two"),
        ("one", 2, "only up to 2: it was replaced by an older copy"),
        ("one", -1, "has none: it was replaced by an older copy"),
    ],
)
def test_a_checkpoint_that_is_not_the_targets_is_refused(
    checkpoint: str | None, planned: int, told: str
) -> None:
    with pytest.raises(LostCheckpointError) as error:
        restored(Mark("one", 4, OFFSETS), checkpoint, planned, WHO)
    assert told in str(error.value)
    assert str(error.value).startswith(WHO)
    assert "another name" in str(error.value)


@pytest.mark.parametrize(("mark", "planned"), [(None, -1), (None, 5), (4, 4), (4, 5)])
def test_a_checkpoint_that_fits_goes_on(mark: int | None, planned: int) -> None:
    found = Mark("one", mark, OFFSETS) if mark is not None else None
    assert restored(found, "one", planned, WHO) is None


def test_a_batch_that_comes_after_a_later_one_is_not_skipped_silently() -> None:
    files, target = Folder(), Target()
    batches = Batches(files, "c", target, WHO)
    batches([], 3)
    with pytest.raises(LostCheckpointError, match="batch 2 was repeated out of order"):
        batches([], 2)


def test_the_end_of_a_batch_is_told_as_starting_takes_it() -> None:
    assert ends_of(OFFSETS) == {"in": {"0": 10, "1": 7}}
    assert ends_of('v1\n{}\n{"logOffset":3}') == {}
    assert ends_of("") == {}
    with pytest.raises(LostCheckpointError, match=json.dumps({"in": {"0": 10}})[1:-1]):
        restored(Mark("one", 0, 'v1\n{}\n{"in":{"0":10}}'), None, -1, WHO)


def test_where_no_state_depends_on_them_lost_batches_come_back_from_the_mark() -> None:
    assert restored(Mark("one", 9, OFFSETS), "one", 2, WHO, False) == Mark("one", 9, OFFSETS)
    files, target = Folder(), Target()
    for batch in range(3):
        plan(files, batch)
        run(files, target, batch)
    for batch in (1, 2):
        del files.texts[f"c/offsets/{batch}"]
    assert Batches(files, "c", target, WHO).resume(0, 0) == 2
    assert "c/offsets/2" in files.texts


def test_a_mark_that_is_gone_while_a_batch_was_underway_is_no_reason_to_write_it_twice() -> None:
    files, target = Folder(), Target()
    plan(files, 0)
    run(files, target, 0)
    target.last = None
    plan(files, 1)
    # Between two batches the target has what the checkpoint says.
    assert Batches(files, "c", target, WHO).resume(1, 1) is None
    with pytest.raises(LostCheckpointError, match="batch 1 may or may not be in the target"):
        Batches(files, "c", target, WHO).resume(1, 0)


def test_a_mark_that_was_cut_is_none() -> None:
    whole = Mark("one", 4, OFFSETS).to_text()
    assert Mark.if_whole(whole) == Mark("one", 4, OFFSETS)
    for text in (None, "", whole[: len(whole) // 2], "{}", "null"):
        assert Mark.if_whole(text) is None


def test_the_state_of_a_batch_that_the_target_holds_is_made_again() -> None:
    class Rows(list):
        """Rows that know whether they were read."""

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


def test_a_batch_is_not_written_where_the_guard_says_no() -> None:
    files, target = Folder(), Target()

    def guard() -> None:
        raise Crash

    with pytest.raises(Crash):
        Batches(files, "c", target, WHO, guard)(["row"], 0)
    assert target.rows == []
