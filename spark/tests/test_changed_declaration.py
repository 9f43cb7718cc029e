"""A driver runs another declaration in the session that it has."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from conftest import SMALLEST
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline import declared_file, driver, exit_codes, supervision
from kafka_metal_pipeline.changes import PAUSE_S, Changes
from kafka_metal_pipeline.queries import StatementError
from kafka_metal_pipeline.registry import UnusableSchemaError, WriterSchemas
from kafka_metal_pipeline.registry_requests import RegistryError
from kafka_metal_pipeline.sql_check import SqlError
from kafka_metal_pipeline.status import Board
from kafka_metal_pipeline.supervision import Supervisor
from pyspark.sql import SparkSession


def declared(output: str) -> Declaration:
    outputs = {output: {"sql": "SELECT * FROM events", "topic": output}}
    return parse("p", SMALLEST | {"outputs": outputs, "status": "127.0.0.1:1"})


def with_registry(output: str) -> Declaration:
    source = SMALLEST["source"] | {"format": "avro", "schema": "id LONG", "registry": {}}
    found = declared(output)
    return replace(found, source=parse("p", SMALLEST | {"source": source}).source)


class File:
    """A file with one declaration after the other."""

    def __init__(self, *names: str) -> None:
        self.left = [declared(name) for name in names]
        self.error = ""
        self.reload()

    def reload(self) -> bool:
        if self.left:
            self.declaration = self.left.pop(0)
            self.digest = self.seen = self.declaration.outputs[0].name
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

    def drive(
        file: File, refused: tuple[str, ...] = (), stopped: str = ""
    ) -> tuple[int, list[str], Board]:
        ran: list[str] = []
        stopping = threading.Event()
        name = file.declaration.outputs[0].name
        board = Board("p", [name, "invalid"])

        def require_allowed(_: object, found: Declaration) -> None:
            if found.outputs[0].name in refused:
                raise SqlError([])

        def queries(_: object, schemas: WriterSchemas, *__: object) -> int:
            output = schemas.declaration.outputs[0].name
            ran.append(output)
            if output == stopped:
                stopping.set()
            return exit_codes.CHANGED if file.reload() else exit_codes.DONE

        monkeypatch.setattr("kafka_metal_pipeline.sql_check.require_allowed", require_allowed)
        monkeypatch.setattr(driver, "_run", queries)
        given: Any = file
        return driver.run(given, board, stopping), ran, board

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


def test_a_driver_that_is_stopped_starts_no_other_declaration(run: Run) -> None:
    code, ran, board = run(File("first", "second"), stopped="first")
    assert (code, ran) == (exit_codes.DONE, ["first"])
    assert board.snapshot()["state"] == "finished"


def test_outputs_that_cannot_start_do_not_delay_another_declaration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each start takes longer than the pause before the next one."""
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.0)
    file: Any = File("first")
    board, stopping, started = Board("p", ["first", "invalid"]), threading.Event(), []

    def start(name: str) -> Any:
        started.append(name)
        if len(started) == 4:
            file.left.append(declared("second"))
        time.sleep(0.05)
        raise RuntimeError("the target is down")

    supervisor = Supervisor("p", {"first": 10.0, "invalid": 10.0}, start, board, True)
    watch: Any = SimpleNamespace(reads_ends=False, ends={}, check_seen=lambda: None)
    failsafe = threading.Timer(2, stopping.set)
    failsafe.start()
    unused: Any = None
    schemas = WriterSchemas(file.declaration)
    changes = Changes(file, board)
    code = driver._watch(supervisor, watch, unused, schemas, board, stopping, changes)
    assert code == exit_codes.CHANGED
    failsafe.cancel()
    # The restarts that ran already were completed.
    assert started == ["first", "invalid"] * 2


@pytest.mark.parametrize(
    ("changes", "code"), [(False, exit_codes.RENEW), (True, exit_codes.CHANGED)]
)
def test_other_schemas_are_for_the_declaration_in_the_file(
    monkeypatch: pytest.MonkeyPatch, changes: bool, code: int
) -> None:
    """Otherwise queries of both could run at once."""
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.0)
    file: Any = File("first")
    board, stopping, started = Board("p", ["first", "invalid"]), threading.Event(), []
    starting = threading.Semaphore(1)

    def start(name: str) -> Any:
        with starting:
            started.append(name)
            if len(started) == 4 and changes:
                file.left.append(declared("second"))
            time.sleep(0.05)
        raise RuntimeError("9 is the id of no schema")

    def renew(_: object) -> bool:
        # No query is being started meanwhile.
        assert starting.acquire(blocking=False)
        starting.release()
        return len(started) >= 4

    supervisor = Supervisor("p", {"first": 10.0, "invalid": 10.0}, start, board, True)
    watch: Any = SimpleNamespace(reads_ends=False, ends={}, check_seen=lambda: None)
    declaration = file.declaration
    schemas: Any = SimpleNamespace(renew=renew, is_waiting=False, declaration=declaration)
    unused: Any = Changes(file, board)
    failsafe = threading.Timer(2, stopping.set)
    failsafe.start()
    assert driver._watch(supervisor, watch, unused, schemas, board, stopping, unused) == code
    failsafe.cancel()
    assert started == ["first", "invalid"] * 2


def test_a_refused_declaration_leaves_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    def refuse(*_: object) -> None:
        raise StatementError("p", "outputs.first", ValueError("no such column"))

    def opened(name: str, method: str) -> Any:
        functions = {method: lambda: ended.append(name), "limits": lambda _: {}}
        return lambda *_: SimpleNamespace(**functions)

    monkeypatch.setattr(driver, "Storage", lambda _: SimpleNamespace(read=lambda _: None))
    monkeypatch.setattr(driver.cores, "check", lambda *_: None)
    monkeypatch.setattr(driver.reading, "reader", lambda *_: (None, None))
    monkeypatch.setattr(driver.brokers, "Brokers", opened("connection", "close"))
    monkeypatch.setattr(driver.brokers, "TopicWatch", opened("watch", "stop"))
    monkeypatch.setattr(driver.queries, "flows", refuse)
    monkeypatch.setattr(driver.streams, "forget_shared_reads", lambda _: ended.append("reads"))
    file: Any = File("first")
    board, spark = Board("p", ["first", "invalid"]), cast("SparkSession", None)
    schemas, changes = WriterSchemas(file.declaration), Changes(file, board)
    with pytest.raises(StatementError):
        driver._run(spark, schemas, board, threading.Event(), changes)
    assert sorted(ended) == ["connection", "reads", "watch"]


def test_the_state_has_the_digest_of_the_file_that_cannot_be_applied() -> None:
    file: Any = File("first")
    board = Board("p", ["first"])
    file.seen, file.error = "edited", "no YAML file"
    assert not declared_file.has_changed(file, board)
    state = board.snapshot()
    assert (state["declaration_in_file"], state["declaration_error"]) == ("edited", "no YAML file")


class Registry:
    """A registry whose answer to each read is the next of these errors; None for the schemas."""

    def __init__(self, *errors: Exception | None) -> None:
        self.errors, self.asked = list(errors), list[str]()

    def read(self, declaration: Declaration) -> WriterSchemas:
        self.asked.append(declaration.outputs[0].name)
        error = self.errors.pop(0)
        if error:
            raise error
        return cast("WriterSchemas", SimpleNamespace(declaration=declaration))


DOWN = RegistryError("the schema registry gives no schema")


class Driver:
    """A driver that runs one declaration, and a file with another one."""

    def __init__(self, *errors: Exception | None) -> None:
        self.now = 100.0
        self.file: Any = File("first")
        self.board = Board("p", ["first"])
        self.registry = Registry(*errors)
        self.changes = Changes(self.file, self.board, self.registry.read, lambda: self.now)
        self.put(with_registry("second"))

    def put(self, declaration: Declaration) -> None:
        """Replace the file."""
        self.file.left.append(declaration)

    def refresh(self) -> bool:
        """Read the file, and wait for the schemas if they are being read."""
        self.changes.refresh()
        if self.changes._worker:
            self.changes._worker.join(10)
        return self.changes.refresh()

    @property
    def error(self) -> str:
        return str(self.board.snapshot()["declaration_error"])

    @property
    def waits(self) -> bool:
        return bool(self.board.snapshot()["declaration_waits"])


def test_schemas_of_another_declaration_are_read_before_it_replaces_the_running_one() -> None:
    tested = Driver(None)
    assert tested.refresh()
    schemas = tested.changes.begin()
    assert schemas is not None
    assert schemas.declaration.outputs[0].name == "second"
    # It runs now, with the schemas that were read.
    assert not tested.refresh()
    assert (tested.registry.asked, tested.error) == (["second"], "")
    assert tested.changes.begin() is None


def test_without_schemas_the_running_declaration_continues_and_the_state_has_the_reason() -> None:
    tested = Driver(DOWN, DOWN, None)
    assert not tested.refresh()
    assert (tested.error, tested.waits) == (str(DOWN), True)
    assert tested.board.snapshot()["declaration_in_file"] == "second"
    # A pause is before the next request to the registry.
    assert not tested.refresh()
    assert len(tested.registry.asked) == 1
    tested.now += PAUSE_S
    assert not tested.refresh()
    tested.now += PAUSE_S
    assert tested.refresh()
    assert (len(tested.registry.asked), tested.error, tested.waits) == (3, "", False)


def test_a_declaration_that_is_taken_back_does_not_wait_for_its_schemas() -> None:
    tested = Driver(DOWN)
    assert not tested.refresh()
    tested.put(declared("first"))
    assert not tested.refresh()
    assert (tested.error, tested.registry.asked) == ("", ["second"])


def test_a_declaration_that_returns_has_no_outdated_error() -> None:
    tested, answer = Driver(DOWN), threading.Event()
    assert not tested.refresh()
    tested.put(declared("first"))
    assert not tested.refresh()

    def read(declaration: Declaration) -> WriterSchemas:
        assert answer.wait(10)
        return cast("WriterSchemas", SimpleNamespace(declaration=declaration))

    tested.changes._read = read
    tested.put(with_registry("second"))
    assert not tested.changes.refresh()
    assert (tested.error, tested.waits) == ("", False)
    answer.set()
    assert tested.refresh()


def test_schemas_of_a_declaration_that_was_taken_back_are_read_again() -> None:
    tested = Driver(None, None)
    assert tested.refresh()
    tested.put(declared("first"))
    assert not tested.refresh()
    tested.put(with_registry("second"))
    assert tested.refresh()
    assert tested.registry.asked == ["second", "second"]


def test_a_third_declaration_replaces_one_that_waits_for_its_schemas() -> None:
    tested = Driver(DOWN)
    assert not tested.refresh()
    # Without a registry nothing is read.
    tested.put(declared("third"))
    tested.registry.errors.append(None)
    assert tested.refresh()
    schemas = tested.changes.begin()
    assert schemas is not None
    assert schemas.declaration.outputs[0].name == "third"


def test_a_schema_that_cannot_be_used_is_refused_as_at_a_start() -> None:
    tested = Driver(UnusableSchemaError("version 1 is JSON, not AVRO"))
    assert tested.refresh()
    assert tested.changes.begin() is None


def test_an_unexpected_error_is_a_reason_and_pauses() -> None:
    tested = Driver(MemoryError("too large"), None)
    assert not tested.refresh()
    assert tested.error == "MemoryError('too large')"
    assert not tested.refresh()
    assert len(tested.registry.asked) == 1
    tested.now += PAUSE_S
    assert tested.refresh()


def test_a_slow_registry_does_not_stop_the_supervision() -> None:
    tested, answer = Driver(), threading.Event()

    def read(declaration: Declaration) -> WriterSchemas:
        assert answer.wait(10)
        return cast("WriterSchemas", SimpleNamespace(declaration=declaration))

    tested.changes._read = read
    assert not tested.changes.refresh()
    assert not tested.changes.refresh()
    answer.set()
    assert tested.refresh()


def test_outputs_restart_while_another_declaration_waits_for_its_schemas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "POLL_S", 0.01)
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.0)
    tested, stopping, started = Driver(DOWN), threading.Event(), list[str]()

    def start(name: str) -> Any:
        started.append(name)
        if len(started) == 4:
            # The registry responds.
            tested.registry.errors.append(None)
            tested.now += PAUSE_S
        raise RuntimeError("the target is down")

    supervisor = Supervisor("p", {"first": 10.0}, start, tested.board, True)
    watch: Any = SimpleNamespace(reads_ends=False, ends={}, check_seen=lambda: None)
    schemas, unused = WriterSchemas(tested.file.declaration), cast("Any", None)
    failsafe = threading.Timer(10, stopping.set)
    failsafe.start()
    code = driver._watch(supervisor, watch, unused, schemas, tested.board, stopping, tested.changes)
    failsafe.cancel()
    assert code == exit_codes.CHANGED
    assert len(started) >= 4
