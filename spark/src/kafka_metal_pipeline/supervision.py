"""The queries of a pipeline, each kept alive for itself.

One that fails is started again alone, later each time, and the others go on. The status names it
with its last error and how often it was started again.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import progress
from kafka_metal_pipeline.failures import explain, is_of_process
from kafka_metal_pipeline.status import FAILED, FAILING, FINISHED, RUNNING, STARTING, Board

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 300.0
# Without a failure for so long, the next one counts as the first.
CALM_S = 600.0

Start = Callable[[str], StreamingQuery]


class ProcessError(RuntimeError):
    """The JVM cannot go on: the container's restart policy starts a new driver."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an output's query does; times are those of ``time.monotonic``."""

    query: StreamingQuery | None = None
    error: BaseException | None = None
    message: str | None = None
    failures: int = 0
    restarts: int = 0
    counted: int = -1
    began: float = 0.0
    due: float = 0.0
    is_finished: bool = False


class Supervisor:
    """Starts queries and starts them again; ``start`` raises where an output cannot run."""

    def __init__(
        self,
        pipeline: str,
        outputs: Iterable[str],
        start: Start,
        board: Board,
        is_endless: bool,
        thread: Callable[..., threading.Thread] = threading.Thread,
    ) -> None:
        """``is_endless``: a query that ends has failed, and is started again, in a ``thread``."""
        self._pipeline, self._start, self._board = pipeline, start, board
        self._is_endless = is_endless
        self._attempts = {name: Attempt() for name in outputs}
        self._outcomes: dict[str, StreamingQuery | Exception] = {}
        self._worker: threading.Thread | None = None
        self._thread = thread

    @property
    def queries(self) -> dict[str, StreamingQuery]:
        """Those that run."""
        found = {name: each.query for name, each in self._attempts.items()}
        return {name: query for name, query in found.items() if query and query.isActive}

    @property
    def errors(self) -> dict[str, BaseException]:
        """Why outputs do not run, by name."""
        return {name: each.error for name, each in self._attempts.items() if each.error}

    @property
    def is_done(self) -> bool:
        """Whether every query has ended, and none is to be started again."""
        return not self._is_endless and all(
            each.is_finished or each.error for each in self._attempts.values()
        )

    def start_all(self) -> None:
        """Start each output, one after the other."""
        self._try(list(self._attempts))
        self._collect()

    def start_due(self) -> None:
        """Start again what does not run and whose pause is over; does not wait for it.

        A target that is away can hold up a start for a minute, and the others are looked at
        meanwhile. One at a time: statements share the name of their view.
        """
        if self._worker and self._worker.is_alive():
            return
        self._collect()
        now = time.monotonic()
        due = [
            name
            for name, attempt in self._attempts.items()
            if attempt.error and not attempt.query and attempt.due <= now
        ]
        if due and self._is_endless:
            self._worker = self._thread(target=self._try, args=(due,), daemon=True)
            self._worker.start()

    def _try(self, names: list[str]) -> None:
        for name in names:
            try:
                self._outcomes[name] = self._start(name)
            except Exception as error:
                self._outcomes[name] = error

    def _collect(self) -> None:
        """Take over how starts ended."""
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
                restarts=attempt.restarts + again,
            )

    def look(self) -> dict[str, dict[str, Any]]:
        """Find out how each query does and tell the board; progress by output."""
        found = {}
        for name, attempt in list(self._attempts.items()):
            if attempt.query:
                found[name] = self._look(name, attempt, attempt.query)
            attempt = self._attempts[name]
            self._board.set_output(name, {**found.get(name, {}), **_told(attempt)})
        self._board.set_state(self._state())
        return found

    def interrupt(self, error: BaseException) -> None:
        """Stop every query for a reason that all have; each is looked at anew at once."""
        for name, attempt in list(self._attempts.items()):
            if attempt.query is None:
                continue
            attempt.query.stop()
            self._fail(name, error, 0)
            self._attempts[name] = replace(self._attempts[name], due=0.0)

    def _look(self, name: str, attempt: Attempt, query: StreamingQuery) -> dict[str, Any]:
        state = progress.of_query(query)
        rows, counted = progress.rows_since(query, attempt.counted)
        self._board.add_rows(name, rows)
        attempt = replace(attempt, counted=counted)
        if attempt.error and state["input_rows"] is not None:
            log.info("pipeline %s: output %s runs again", self._pipeline, name)
            attempt = replace(attempt, error=None, message=None)
        if attempt.failures and time.monotonic() - attempt.began > CALM_S:
            attempt = replace(attempt, failures=0)
        self._attempts[name] = attempt
        if not query.isActive:
            error: BaseException | None = query.exception()
            if error is None and self._is_endless:
                # Where Spark itself fails while it handles a failure.
                error = RuntimeError("its query ended and says no reason: see the log above")
            if error is None:
                self._attempts[name] = replace(attempt, query=None, is_finished=True)
            else:
                self._fail(name, error, 0)
        return state

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
            failures=old.failures + 1,
            restarts=old.restarts + again,
            due=time.monotonic() + pause,
        )
        later = f"; it is tried again in {pause:.0f} s" if self._is_endless else ""
        told = "for the same reason" if message == old.message else message
        log.error("pipeline %s: output %s died: %s%s", self._pipeline, name, told, later)

    def _state(self) -> str:
        attempts = self._attempts.values()
        if any(each.error for each in attempts):
            return FAILING
        looked = all(
            each.is_finished
            or (each.query and progress.of_query(each.query)["input_rows"] is not None)
            for each in attempts
        )
        return RUNNING if looked else STARTING


def _told(attempt: Attempt) -> dict[str, Any]:
    state = STARTING
    if attempt.error:
        state = FAILED
    elif attempt.is_finished:
        state = FINISHED
    elif attempt.query and progress.of_query(attempt.query)["input_rows"] is not None:
        state = RUNNING
    waits = attempt.due - time.monotonic() if attempt.error and attempt.query is None else None
    retry = None if waits is None else datetime.now(UTC) + timedelta(seconds=max(0.0, waits))
    said = attempt.message
    if said and attempt.restarts:
        said += f" (started again {attempt.restarts} times)"
    return {
        "state": state,
        "exception": said,
        "restarts": attempt.restarts,
        "retry_at": retry and retry.isoformat(timespec="seconds"),
    }
