"""Supervision of a pipeline's queries, each restarted independently of the others.

A failed query is restarted after a growing pause while the others run. The status has its last
error and the number of restarts.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import counts, progress
from kafka_metal_pipeline.failures import explain, is_of_process
from kafka_metal_pipeline.progress import Offsets
from kafka_metal_pipeline.running_batch import LONG_S, RunningBatch, current_lag, running_batch
from kafka_metal_pipeline.status import FAILED, FAILING, FINISHED, RUNNING, STARTING, Board

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 60.0
# Seconds without a failure after which the pause starts at FIRST_PAUSE_S again.
RESET_S = 600.0

Start = Callable[[str], StreamingQuery]


class ProcessError(RuntimeError):
    """The JVM has failed: the container's restart policy starts a new driver."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """State of an output's query; times are from ``time.monotonic``."""

    query: StreamingQuery | None = None
    error: BaseException | None = None
    message: str | None = None
    failures: int = 0
    restarts: int = 0
    counted: int = -1
    batch: RunningBatch | None = None
    began: float = 0.0
    due: float = 0.0
    is_finished: bool = False
    # Stopped on purpose, and not yet processing records again.
    is_restarting: bool = False
    # Time of the last error.
    failed_at: datetime | None = None


class Supervisor:
    """Starts and restarts queries; ``start`` raises if an output cannot run."""

    def __init__(
        self,
        pipeline: str,
        planned: Mapping[str, float],
        start: Start,
        board: Board,
        is_endless: bool,
        thread: Callable[..., threading.Thread] = threading.Thread,
    ) -> None:
        """``planned``: seconds for which a batch is planned, by output.

        ``is_endless``: a query that ends has failed and is restarted, in a ``thread``.
        """
        self._pipeline, self._start, self._board = pipeline, start, board
        self._is_endless = is_endless
        self._attempts = {name: Attempt() for name in planned}
        for name, seconds in planned.items():
            board.set_output(name, {"planned_seconds": round(seconds)})
        self._outcomes: dict[str, StreamingQuery | Exception] = {}
        self._worker: threading.Thread | None = None
        self._thread = thread

    @property
    def queries(self) -> dict[str, StreamingQuery]:
        """Running queries by output."""
        found = {name: each.query for name, each in self._attempts.items()}
        return {name: query for name, query in found.items() if query and query.isActive}

    @property
    def errors(self) -> dict[str, BaseException]:
        """Errors of outputs that do not run, by name."""
        return {name: each.error for name, each in self._attempts.items() if each.error}

    @property
    def is_done(self) -> bool:
        """Whether every query has ended and none will be restarted."""
        return not self._is_endless and all(
            each.is_finished or each.error for each in self._attempts.values()
        )

    @property
    def has_long_batch(self) -> bool:
        """Whether a batch of any query runs long: its lag needs the ends of the topics."""
        now = time.monotonic()
        batches = (each.batch for each in self._attempts.values())
        return any(batch and now - batch.since >= LONG_S for batch in batches)

    def start_all(self) -> None:
        """Start all outputs, one after the other."""
        self._try(list(self._attempts))
        self._collect()

    def start_due(self) -> None:
        """Restart failed outputs whose pause is over, in a thread.

        If a target is down, a start can block for a minute; the other queries are supervised
        meanwhile. Starts are sequential: statements share the name of their view.
        """
        if not self.finish_starts():
            return
        now = time.monotonic()
        due = [
            name
            for name, attempt in self._attempts.items()
            if (attempt.error or attempt.is_restarting) and not attempt.query and attempt.due <= now
        ]
        if due and self._is_endless:
            self._worker = self._thread(target=self._try, args=(due,), daemon=True)
            self._worker.start()

    def finish_starts(self) -> bool:
        """Process the results of restarts; return whether ``queries`` has all that were started."""
        if self._worker and self._worker.is_alive():
            return False
        self._collect()
        return True

    def _try(self, names: list[str]) -> None:
        for name in names:
            try:
                self._outcomes[name] = self._start(name)
            except Exception as error:
                self._outcomes[name] = error

    def _collect(self) -> None:
        """Process the results of finished starts."""
        while self._outcomes:
            name, outcome = self._outcomes.popitem()
            attempt = self._attempts[name]
            again = int(attempt.error is not None)
            if isinstance(outcome, Exception):
                self._fail(name, outcome, again)
                continue
            self._attempts[name] = replace(
                attempt,
                query=outcome,
                began=time.monotonic(),
                counted=-1,
                batch=None,
                restarts=attempt.restarts + again,
            )

    def update(self, ends: Offsets) -> dict[str, dict[str, Any]]:
        """Update the state of every query on the board; return the progress by output.

        ``ends`` are current end offsets of the source's topics, empty if they are not known.
        """
        found = {}
        for name, attempt in list(self._attempts.items()):
            if attempt.query:
                found[name] = self._update(name, attempt, attempt.query, ends)
            attempt = self._attempts[name]
            self._board.set_output(name, {**found.get(name, {}), **output_state(attempt)})
        self._board.set_state(self._state())
        return found

    def interrupt(self, error: BaseException) -> None:
        """Stop every query because of a common error; each is restarted at once."""
        for name, attempt in list(self._attempts.items()):
            if attempt.query is None:
                continue
            attempt.query.stop()
            self._fail(name, error, 0)
            self._attempts[name] = replace(self._attempts[name], due=0.0)

    def restart(self, name: str) -> None:
        """Start a query again that was stopped on purpose; this counts as no restart."""
        self._count_last(name)
        self._attempts[name] = replace(
            self._attempts[name], query=None, is_restarting=True, due=0.0
        )

    def count_last(self) -> None:
        """Count batches that have ended after the last update; their queries may have stopped."""
        for name in self._attempts:
            self._count_last(name)

    def _count_last(self, name: str) -> None:
        attempt = self._attempts[name]
        if attempt.query:
            self._attempts[name] = self._count(name, attempt, attempt.query)

    def _update(
        self, name: str, attempt: Attempt, query: StreamingQuery, ends: Offsets
    ) -> dict[str, Any]:
        state = progress.query_progress(query)
        now = time.monotonic()
        attempt = replace(attempt, batch=running_batch(attempt.batch, query, now))
        since = attempt.batch.since if attempt.batch else now
        if (seconds := now - since) >= LONG_S:
            lag = current_lag(ends, query.lastProgress)
            # The speed of the last batch would hide that this one is slow.
            state |= {"running_seconds": round(seconds), "rows_per_second": None}
            state |= {} if lag is None else {"lag": lag}
        attempt = self._count(name, attempt, query)
        if attempt.error and state["input_rows"] is not None:
            log.info("pipeline %s: output %s runs again", self._pipeline, name)
            attempt = replace(attempt, error=None, message=None)
        if attempt.is_restarting and state["input_rows"] is not None:
            attempt = replace(attempt, is_restarting=False)
        if attempt.failures and time.monotonic() - attempt.began > RESET_S:
            attempt = replace(attempt, failures=0)
        self._attempts[name] = attempt
        if not query.isActive:
            error: BaseException | None = query.exception()
            if error is None and self._is_endless:
                # Spark ends a query without an exception if its own error handling fails.
                error = RuntimeError("its query ended without an error: see the log above")
            if error is None:
                self._attempts[name] = replace(attempt, query=None, is_finished=True)
            else:
                self._fail(name, error, 0)
        return state

    def _count(self, name: str, attempt: Attempt, query: StreamingQuery) -> Attempt:
        """Add the records of batches that are not counted yet."""
        batches = progress.batches_since(query, attempt.counted)
        if not batches:
            return attempt
        self._board.add_rows(name, sum(each["numInputRows"] for each in batches))
        self._board.add_records(counts.of_batches(batches))
        return replace(attempt, counted=batches[-1]["batchId"])

    def _fail(self, name: str, error: BaseException, again: int) -> None:
        message = explain(error)
        if is_of_process(error):
            self._board.set_output(name, {"exception": message})
            raise ProcessError(f"output {name}: {message}") from error
        old = self._attempts[name]
        pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(old.failures, 10))
        self._attempts[name] = replace(
            old,
            query=None,
            error=error,
            message=message,
            is_restarting=False,
            failures=old.failures + 1,
            restarts=old.restarts + again,
            due=time.monotonic() + pause,
            failed_at=datetime.now(UTC),
        )
        later = f"; retry in {pause:.0f} s" if self._is_endless else ""
        cause = "for the same reason" if message == old.message else message
        log.error("pipeline %s: output %s failed: %s%s", self._pipeline, name, cause, later)

    def _state(self) -> str:
        attempts = self._attempts.values()
        if any(each.error for each in attempts):
            return FAILING
        all_read = all(each.is_finished or _processes(each) for each in attempts)
        return RUNNING if all_read else STARTING


def _processes(attempt: Attempt) -> bool:
    """Whether a query has completed a batch since its last failure, or has nothing to read."""
    if attempt.is_restarting:
        return True
    query = attempt.query
    return query is not None and progress.query_progress(query)["input_rows"] is not None


def output_state(attempt: Attempt) -> dict[str, Any]:
    """Return the state of an output for the board."""
    state = STARTING
    if attempt.error:
        state = FAILED
    elif attempt.is_finished:
        state = FINISHED
    elif _processes(attempt):
        state = RUNNING
    waits = attempt.due - time.monotonic() if attempt.error and attempt.query is None else None
    retry = None if waits is None else datetime.now(UTC) + timedelta(seconds=max(0.0, waits))
    return {
        "state": state,
        "exception": attempt.message,
        "restarts": attempt.restarts,
        "retry_at": retry and retry.isoformat(timespec="seconds"),
        "failed_at": attempt.failed_at and attempt.failed_at.isoformat(timespec="seconds"),
    }
