"""Failed outputs are restarted alone, and the status has their errors."""

from datetime import datetime
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_pipeline import counts, supervision
from kafka_metal_pipeline.running_batch import planned_seconds
from kafka_metal_pipeline.status import Board
from kafka_metal_pipeline.supervision import ProcessError, Supervisor


class Query:
    """A fake of Spark's query: it runs until ``fail`` is called."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.isActive = True
        self.lastProgress: dict[str, Any] | None = None
        self.recentProgress: list[dict[str, Any]] = []
        self.status = {"message": "Initializing sources", "isTriggerActive": True,
                       "isDataAvailable": False}  # fmt: skip

    def exception(self) -> Exception | None:
        return self.error

    def stop(self) -> None:
        self.isActive = False

    def idle(self) -> None:
        self.status["message"] = "Waiting for data to arrive"

    def fail(self, text: str) -> None:
        self.error, self.isActive = RuntimeError(text), False


class Clock:
    """A fake monotonic clock in seconds."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class AtOnce:
    """A fake thread that runs its target in the constructor."""

    def __init__(self, target: Any, args: Any, daemon: bool) -> None:
        self.start = lambda: target(*args)

    def is_alive(self) -> bool:
        return False


class Outputs:
    """Two outputs under a supervisor; ``refused`` are errors at the start of outputs."""

    def __init__(self, is_endless: bool = True, **refused: Exception) -> None:
        self.board = Board("p", ["good", "bad", "invalid"])
        self.started: list[tuple[str, Query]] = []
        self.refused: dict[str, Exception] = refused
        planned = {"bad": 10.0, "good": 600.0}
        self.supervisor = Supervisor(
            "p", planned, self.start, self.board, is_endless, thread=AtOnce
        )
        self.supervisor.start_all()

    def start(self, name: str) -> Any:
        if name in self.refused:
            raise self.refused[name]
        self.started.append((name, Query()))
        return self.started[-1][1]

    def newest(self, name: str) -> Query:
        return next(query for each, query in reversed(self.started) if each == name)

    def starts(self, name: str) -> int:
        return sum(each == name for each, _ in self.started)

    def update(self) -> dict[str, Any]:
        self.supervisor.update({})
        for _ in range(2):
            # The result of a start is processed by the next call.
            self.supervisor.start_due()
        self.supervisor.update({})
        return self.board.snapshot()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(supervision, "time", found)
    return found


def test_others_run_while_one_is_retried(clock: Clock) -> None:
    outputs = Outputs()
    for name in ("good", "bad"):
        outputs.newest(name).idle()
    assert outputs.update()["state"] == "running"
    outputs.newest("bad").fail("topic is away")
    state = outputs.update()
    assert state["state"] == "failing"
    bad, good = state["outputs"]["bad"], state["outputs"]["good"]
    assert (bad["state"], bad["exception"], bad["restarts"]) == ("failed", "topic is away", 0)
    assert bad["retry_at"] is not None
    failed_at = bad["failed_at"]
    assert datetime.fromisoformat(failed_at).tzinfo is not None
    assert (good["state"], good["exception"]) == ("running", None)
    assert outputs.newest("good").isActive
    clock.now += 4
    outputs.update()
    assert outputs.starts("bad") == 1
    clock.now += 2
    bad = outputs.update()["outputs"]["bad"]
    # Its error remains until it has completed a batch or has nothing to read.
    assert bad["exception"] == "topic is away"
    assert (bad["restarts"], bad["retry_at"]) == (1, None)
    outputs.newest("bad").idle()
    state = outputs.update()
    assert (state["state"], state["outputs"]["bad"]["exception"]) == ("running", None)
    bad = state["outputs"]["bad"]
    assert (bad["restarts"], bad["failed_at"]) == (1, failed_at)
    assert outputs.starts("good") == 1


def test_records_of_finished_batches_are_counted_once(clock: Clock) -> None:
    outputs = Outputs()

    def batch(number: int) -> dict[str, Any]:
        observed = {
            counts.VALIDATED: {"records": 10},
            counts.REJECTIONS: {"records": 4, "reason": "empty"},
        }
        return {"batchId": number, "numInputRows": 10, "observedMetrics": observed}

    outputs.newest("good").recentProgress = [batch(0), batch(1)]
    outputs.update()
    outputs.newest("good").recentProgress.append(batch(2))
    outputs.update()
    outputs.update()
    records = outputs.board.snapshot()["records"]
    assert (records["read"], records["invalid"], records["reason"]) == (30, 12, "empty")


def test_pauses_grow_and_retries_never_end(clock: Clock) -> None:
    outputs = Outputs()
    outputs.newest("bad").fail("x")
    outputs.refused["bad"] = ValueError("its checkpoint does not fit")
    pauses, began = [], clock.now
    while len(pauses) < 9:
        before = outputs.update()["outputs"]["bad"]["restarts"]
        clock.now += 1
        if outputs.update()["outputs"]["bad"]["restarts"] > before:
            pauses.append(round(clock.now - began))
            began = clock.now
    assert pauses[:4] == [5, 10, 20, 40]
    assert pauses[-2:] == [60, 60]
    del outputs.refused["bad"]
    clock.now += 301
    outputs.update()
    assert outputs.starts("bad") == 2


def test_output_that_cannot_start_stops_no_other(clock: Clock) -> None:
    outputs = Outputs(bad=ValueError("has offsets of another topic"))
    state = outputs.update()
    assert state["outputs"]["bad"]["exception"] == "has offsets of another topic"
    assert outputs.starts("good") == 1
    assert outputs.newest("good").isActive


def test_query_that_ends_without_error_is_restarted(clock: Clock) -> None:
    outputs = Outputs()
    outputs.newest("bad").stop()
    assert "ended without an error" in outputs.update()["outputs"]["bad"]["exception"]
    clock.now += 6
    outputs.update()
    assert outputs.starts("bad") == 2


def test_jvm_failure_ends_the_process(clock: Clock) -> None:
    outputs = Outputs()
    outputs.newest("bad").fail("java.lang.OutOfMemoryError: Java heap space")
    with pytest.raises(ProcessError, match="OutOfMemoryError"):
        outputs.update()


def test_available_now_pipeline_retries_nothing(clock: Clock) -> None:
    outputs = Outputs(is_endless=False)
    outputs.newest("bad").fail("x")
    outputs.update()
    assert not outputs.supervisor.is_done
    outputs.newest("good").stop()
    outputs.update()
    clock.now += 1_000
    outputs.update()
    assert outputs.supervisor.is_done
    assert set(outputs.supervisor.errors) == {"bad"}
    assert outputs.starts("bad") == 1


def test_state_of_an_output_has_its_planned_seconds(clock: Clock) -> None:
    outputs = Outputs(bad=ValueError("its checkpoint does not fit"))
    for state in (outputs.board.snapshot(), outputs.update()):
        planned = {name: each.get("planned_seconds") for name, each in state["outputs"].items()}
        assert planned == {"bad": 10, "good": 600, "invalid": None}


def test_batches_are_planned_for_the_trigger_of_their_output() -> None:
    declared: dict[str, Any] = {
        "source": {"topic": "in", "schema": "id STRING"},
        "outputs": {
            "fast": {"sql": "TABLE events", "topic": "a"},
            "slow": {"sql": "TABLE events", "topic": "b", "trigger": "10 minutes"},
            "direct": {"sql": "TABLE events", "topic": "c", "trigger": "real-time"},
        },
        "invalid": "bad",
        "trigger": "1 minute",
        "checkpoint_root": "/x",
    }
    assert planned_seconds(parse("p", declared)) == {
        **{"fast": 60.0, "slow": 600.0, "direct": 10.0},
        INVALID: 60.0,
    }
    one = {"fast": declared["outputs"]["fast"]}
    stops = parse("p", declared | {"outputs": one, "trigger": "available-now"})
    assert planned_seconds(stops) == {"fast": 10.0, INVALID: 10.0}
    source = {"topic": "in", "path": "in", "schema": "id STRING"}
    archive = parse("p", declared | {"outputs": one, "source": source, "trigger": "available-now"})
    # Limited by files, not by time.
    assert planned_seconds(archive)["fast"] == 600.0


@pytest.mark.parametrize("is_endless", [True, False])
def test_lag_of_a_long_batch_follows_the_ends_of_the_topic(clock: Clock, is_endless: bool) -> None:
    outputs = Outputs(is_endless)
    outputs.newest("bad").idle()
    query = outputs.newest("good")
    offsets = {"in": {"0": 7, "1": 2}}
    query.lastProgress = {
        **{"batchId": 3, "numInputRows": 9, "processedRowsPerSecond": 9.0, "batchDuration": 1000},
        **{"timestamp": "2026-05-01T12:00:00Z"},
        **{"sources": [{"latestOffset": offsets, "endOffset": offsets}]},
    }
    query.status = {"message": "Processing new data", "isTriggerActive": True,
                    "isDataAvailable": True}  # fmt: skip
    ends = {("in", "0"): 30, ("in", "1"): 2, ("in", "2"): 5}

    def state() -> tuple[object, ...]:
        found = outputs.supervisor.update(ends)["good"]
        return found["running_seconds"], found["lag"], found["rows_per_second"]

    assert state() == (None, 1, 9.0)
    clock.now += 19
    assert not outputs.supervisor.has_long_batch
    assert state() == (None, 1, 9.0)
    clock.now += 2
    assert outputs.supervisor.has_long_batch
    assert state() == (21, 28, None)
    # Without ends, the lag is that of the last batch.
    assert outputs.supervisor.update({})["good"]["lag"] == 1
    # The batch has ended, and the next one runs.
    query.lastProgress = {**query.lastProgress, "timestamp": "2026-05-01T12:00:21Z"}
    assert state() == (None, 1, 9.0)
    assert not outputs.supervisor.has_long_batch


def test_an_idle_query_has_no_long_batch(clock: Clock) -> None:
    outputs = Outputs()
    outputs.newest("good").idle()
    outputs.supervisor.update({})
    clock.now += 600
    outputs.supervisor.update({})
    assert outputs.supervisor.update({})["good"]["running_seconds"] is None


def test_a_query_that_is_restarted_on_purpose_runs_on(clock: Clock) -> None:
    outputs = Outputs()
    for name in ("good", "bad"):
        outputs.newest(name).idle()
    assert outputs.update()["state"] == "running"

    outputs.newest("bad").stop()
    # Its last batch has ended after the last update.
    outputs.newest("bad").recentProgress = [{"batchId": 7, "numInputRows": 12}]
    outputs.supervisor.restart("bad")

    state = outputs.update()
    assert state["outputs"]["bad"]["input_rows_total"] == 12
    assert outputs.starts("bad") == 2
    assert state["state"] == "running"
    bad = state["outputs"]["bad"]
    assert (bad["state"], bad["exception"], bad["restarts"]) == ("running", None, 0)
    # A failure afterwards is one.
    outputs.newest("bad").fail("topic is away")
    state = outputs.update()
    assert (state["state"], state["outputs"]["bad"]["state"]) == ("failing", "failed")


def test_batches_that_end_while_their_queries_stop_are_counted_once(clock: Clock) -> None:
    outputs = Outputs()
    outputs.newest("good").recentProgress = [{"batchId": 0, "numInputRows": 5}]
    outputs.update()

    outputs.newest("good").recentProgress.append({"batchId": 1, "numInputRows": 7})
    outputs.newest("good").stop()
    outputs.supervisor.count_last()
    outputs.supervisor.count_last()

    assert outputs.board.snapshot()["outputs"]["good"]["input_rows_total"] == 12
