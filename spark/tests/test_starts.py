"""A start that fails is told by the next one, until one runs or the declaration changes."""

from pathlib import Path

from kafka_metal_pipeline.starts import Starts
from kafka_metal_pipeline.status import FAILED, RUNNING, STARTING, Board


def board(file: Path, declaration: str = "a") -> Board:
    return Board("p", ["o"], Starts.read(file, declaration))


def told(of: Board) -> tuple[object, ...]:
    found = of.snapshot()
    return found["state"], found["failed_starts"], found["error"]


def test_the_next_start_says_how_the_one_before_ended(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    first = board(file)
    assert told(first) == (STARTING, 0, None)
    first.fail("no such column")
    first.fail("and what follows from it")
    assert told(first) == (FAILED, 1, "no such column")
    second = board(file)
    assert told(second) == (STARTING, 1, "no such column")
    second.fail("still none")
    assert told(board(file)) == (STARTING, 2, "still none")
    assert told(board(file, "another declaration")) == (STARTING, 0, None)


def test_a_start_that_runs_ends_the_count(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    board(file).fail("once")
    again = board(file)
    again.set_state(RUNNING)
    assert told(again) == (RUNNING, 0, None)
    assert told(board(file)) == (STARTING, 0, None)


def test_a_damaged_note_or_none_is_a_first_start(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    for text in ("", "[]", '{"declaration": "a"}', '{"declaration": "a", "failed": "x"}'):
        file.write_text(text)
        assert told(board(file)) == (STARTING, 0, None)
    assert told(Board("p", ["o"])) == (STARTING, 0, None)
    missing = board(tmp_path / "gone" / "p.starts.json")
    missing.fail("why")
    assert told(missing) == (FAILED, 1, "why")
