"""Failed starts are reported until a start succeeds or the declaration changes."""

from pathlib import Path

from kafka_metal_pipeline.starts import FailedStarts
from kafka_metal_pipeline.status import FAILED, RUNNING, STARTING, Board


def board(file: Path, declaration: str = "a") -> Board:
    return Board("p", ["o"], FailedStarts.read(file, declaration))


def state_of(of: Board) -> tuple[object, ...]:
    found = of.snapshot()
    return found["state"], found["failed_starts"], found["last_error"]


def test_next_start_reports_the_last_error(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    first = board(file)
    assert state_of(first) == (STARTING, 0, None)
    first.fail("no such column")
    first.fail("and what follows from it")
    assert state_of(first) == (FAILED, 1, "no such column")
    second = board(file)
    assert state_of(second) == (STARTING, 1, "no such column")
    second.fail("still none")
    assert state_of(board(file)) == (STARTING, 2, "still none")
    assert state_of(board(file, "another declaration")) == (STARTING, 0, None)


def test_successful_start_resets_the_count(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    board(file).fail("once")
    again = board(file)
    again.set_state(RUNNING)
    assert state_of(again) == (RUNNING, 0, None)
    assert state_of(board(file)) == (STARTING, 0, None)


def test_damaged_or_missing_file_is_a_first_start(tmp_path: Path) -> None:
    file = tmp_path / "p.starts.json"
    for text in ("", "[]", '{"declaration": "a"}', '{"declaration": "a", "failed": "x"}'):
        file.write_text(text)
        assert state_of(board(file)) == (STARTING, 0, None)
    assert state_of(Board("p", ["o"])) == (STARTING, 0, None)
    missing = board(tmp_path / "gone" / "p.starts.json")
    missing.fail("why")
    assert state_of(missing) == (FAILED, 1, "why")


def test_a_success_between_failures_of_another_declaration_resets_their_count(
    tmp_path: Path,
) -> None:
    """A run that rolls back a declaration and applies it later judges only its new starts."""
    file = tmp_path / "p.starts.json"
    for _ in range(3):
        board(file, "b").fail("topic is missing")
    assert state_of(board(file, "b")) == (STARTING, 3, "topic is missing")
    board(file, "a").set_state(RUNNING)
    assert state_of(board(file, "b")) == (STARTING, 0, None)
