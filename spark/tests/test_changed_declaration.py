"""A driver runs another declaration in the session that it has."""

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import SMALLEST
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline import driver, exit_codes
from kafka_metal_pipeline.sql_check import SqlError
from kafka_metal_pipeline.status import Board


def declared(output: str) -> Declaration:
    outputs = {output: {"sql": "SELECT * FROM events", "topic": output}}
    return parse("p", SMALLEST | {"outputs": outputs, "status": "127.0.0.1:1"})


class File:
    """A file with one declaration after the other."""

    def __init__(self, *names: str) -> None:
        self.left = [declared(name) for name in names]
        self.error = ""
        self.reload()

    def reload(self) -> bool:
        if self.left:
            self.declaration = self.left.pop(0)
            self.digest = self.declaration.outputs[0].name
            return True
        return False


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Sessions that a driver has started; in the end all are closed."""
    started: list[Any] = []

    def start(_: Declaration) -> Any:
        found = SimpleNamespace(sparkContext=SimpleNamespace(applicationId="a"), ended=False)
        found.stop = lambda: setattr(found, "ended", True)
        started.append(found)
        return found

    monkeypatch.setattr("kafka_metal_pipeline.session.start", start)
    yield started
    assert all(each.ended for each in started)


# Exit code, the outputs of each declaration that ran, and the board.
Run = Callable[..., tuple[int, list[str], Board]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, sessions: list[Any]) -> Run:
    """Run declarations whose queries end at once, each for the next one."""
    monkeypatch.setattr(driver, "POLL_S", 0.0)

    def drive(file: File, refused: tuple[str, ...] = ()) -> tuple[int, list[str], Board]:
        ran: list[str] = []
        name = file.declaration.outputs[0].name
        board = Board("p", [name, "invalid"])

        def require_allowed(_: object, found: Declaration) -> None:
            if found.outputs[0].name in refused:
                raise SqlError([])

        def queries(_: object, found: Declaration, *__: object) -> int:
            ran.append(found.outputs[0].name)
            return driver.CHANGED if file.reload() else exit_codes.DONE

        monkeypatch.setattr("kafka_metal_pipeline.sql_check.require_allowed", require_allowed)
        monkeypatch.setattr(driver, "_run", queries)
        given: Any = file
        return driver.run(given, board, threading.Event()), ran, board

    return drive


def test_each_declaration_runs_in_the_same_session(run: Run, sessions: list[Any]) -> None:
    code, ran, board = run(File("first", "second", "third"))
    assert (code, ran) == (exit_codes.DONE, ["first", "second", "third"])
    assert len(sessions) == 1
    state = board.snapshot()
    assert (set(state["outputs"]), state["declaration"]) == ({"third", "invalid"}, "third")


def test_another_declaration_replaces_a_refused_one(run: Run, sessions: list[Any]) -> None:
    code, ran, board = run(File("first", "wrong", "second"), refused=("wrong",))
    assert (code, ran) == (exit_codes.DONE, ["first", "second"])
    # The refused one used no cores.
    assert len(sessions) == 2
    assert board.snapshot()["refused"] is False


def test_a_driver_ends_if_its_refused_declaration_does_not_change(
    run: Run, sessions: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "REFUSED_STATUS_S", 0.05)
    code, ran, board = run(File("first", "wrong"), refused=("wrong",))
    assert (code, ran) == (exit_codes.REFUSED, ["first"])
    assert len(sessions) == 1
    assert board.snapshot()["refused"] is True
