"""The life of a driver: start every query, watch them, end as one.

When a query dies the driver ends with it, and the container's restart policy brings all back from
their checkpoints: a pipeline never runs in part without anyone noticing.
"""

import logging
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import cores, progress, queries, rate, reading, registry, session, streams
from kafka_metal_pipeline.checkpoint import CheckpointError, all_of
from kafka_metal_pipeline.failures import explain
from kafka_metal_pipeline.librdkafka import OptionError
from kafka_metal_pipeline.marks import LostCheckpointError
from kafka_metal_pipeline.model import Declaration
from kafka_metal_pipeline.registry import RegistryError
from kafka_metal_pipeline.sql_check import SqlError
from kafka_metal_pipeline.status import FINISHED, RUNNING, STOPPING, Board
from kafka_metal_pipeline.storage import Files, Storage
from kafka_metal_pipeline.words import milliseconds

log = logging.getLogger(__name__)

DONE, DIED, REFUSED = 0, 1, 2

POLL_S = 1.0
# A batch that is running when the driver is told to stop may end: what it wrote to a topic would
# be written again otherwise. Docker gives the container longer than this.
STOP_S = 25.0
STOP_POLL_S = 0.05
REPORT_EVERY_S = 60.0

# Errors that come again with every start: someone has to change something.
REFUSALS = (
    CheckpointError,
    cores.CoresError,
    LostCheckpointError,
    OptionError,
    RegistryError,
    queries.StatementError,
    SqlError,
)

# What a query can do, beside its checkpoint, for the next start.
CAPACITY = "kafka-metal-records-per-second"

Queries = Mapping[str, StreamingQuery]


def run(declaration: Declaration, board: Board, stopping: threading.Event) -> int:
    """Run until ``stopping`` is set, all that is available is read, or a query dies.

    Returns the exit code: DONE, DIED, or REFUSED when a statement or a checkpoint does not fit.
    """
    spark: SparkSession | None = None
    try:
        declaration = registry.resolved(declaration)
        spark = session.connect(declaration)
        board.set_id(str(spark.sparkContext.applicationId))
        code = _run(spark, declaration, board, stopping)
    except REFUSALS as error:
        log.error("%s", error)
        board.fail(str(error), refused=True)
        code = REFUSED
    except Exception as error:
        # A JVM that is gone, for one: a driver that lives on without its queries is worse.
        log.exception("pipeline %s: the driver failed", declaration.name)
        board.fail(f"pipeline {declaration.name}: {explain(error)}")
        code = DIED
    if code == DONE:
        board.set_state(FINISHED)
    if spark is not None:
        _close(spark)
    return code


def _run(
    spark: SparkSession, declaration: Declaration, board: Board, stopping: threading.Event
) -> int:
    storage = Storage(spark)
    shared = reading.together(declaration)
    limits = reading.common(limits_of(declaration, storage), shared)
    if shared:
        log.info("read together: %s", ", ".join(shared))
    cores.check(declaration, partial(streams.partitions, spark, declaration))
    read = reading.reader(spark, declaration, limits, shared)
    flows = queries.flows(read, declaration)
    names = {flow.name: f"pipeline {declaration.name}: outputs.{flow.name}" for flow in flows}
    # All are looked at before one is touched.
    for flow in flows:
        verdict = flow.checkpoint.check(storage, names[flow.name])
        log.info("%s: %s", flow.name, verdict.reason)
    writers = {flow.name: queries.prepare(flow, declaration) for flow in flows}
    started: dict[str, StreamingQuery] = {}
    for flow in flows:
        flow.checkpoint.claim(storage, names[flow.name])
        started[flow.name] = queries.start(flow, declaration, writers[flow.name])
        board.set_output(flow.name, {"limit": limits.get(flow.name)})
    code = _watch(started, declaration, board, stopping)
    if code == DONE:
        board.set_state(STOPPING)
    stop_between_batches(started, STOP_S)
    for flow in flows:
        _keep_capacity(started[flow.name], f"{flow.checkpoint.location}/{CAPACITY}", storage)
    return code


def limits_of(declaration: Declaration, files: Files) -> dict[str, int]:
    """Records of one batch of each query that has batches: what it did in ten seconds, last time.

    How much waits is not known yet; where it is little the limit is not reached.
    """
    ceiling, found = declaration.source.max_per_trigger, {}
    one_by_one = {output.name for output in declaration.outputs if output.is_real_time}
    for name, checkpoint in all_of(declaration).items():
        if name in one_by_one:
            continue
        capacity = files.read(f"{checkpoint.location}/{CAPACITY}")
        load = rate.Load(float(capacity), ceiling) if capacity else None
        found[name] = rate.limit(load, milliseconds(declaration.trigger) / 1000, ceiling)
    return found


def _keep_capacity(query: StreamingQuery, file: str, files: Files) -> None:
    capacity = rate.capacity_of(query.recentProgress)
    if capacity is not None:
        files.write(file, f"{capacity:.0f}")


def _watch(
    started: Queries, declaration: Declaration, board: Board, stopping: threading.Event
) -> int:
    reported = time.monotonic()
    counted = dict.fromkeys(started, -1)
    while not stopping.wait(POLL_S):
        state = {name: progress.of_query(query) for name, query in started.items()}
        for name, found in state.items():
            board.set_output(name, {**found, "exception": None})
            rows, counted[name] = progress.rows_since(started[name], counted[name])
            board.add_rows(name, rows)
        if all(found["input_rows"] is not None for found in state.values()):
            board.set_state(RUNNING)
        if time.monotonic() - reported >= REPORT_EVERY_S:
            _report(state)
            reported = time.monotonic()
        ended = {name: query for name, query in started.items() if not query.isActive}
        died = {name: error for name, query in ended.items() if (error := query.exception())}
        for name, error in died.items():
            message = explain(error)
            board.set_output(name, {"exception": message})
            log.error("pipeline %s: output %s died: %s", declaration.name, name, message)
            board.fail(f"pipeline {declaration.name}: output {name} died: {message}")
        if died:
            return DIED
        if len(ended) == len(started):
            return DONE
    log.info("pipeline %s: told to stop", declaration.name)
    return DONE


def stop_between_batches(started: Queries, seconds: float) -> None:
    """Stop each query when its batch has ended, or when ``seconds`` are over."""
    deadline = time.monotonic() + seconds
    batches = {name: _batch(query) for name, query in started.items()}
    left = dict(started)
    while left:
        for name, query in list(left.items()):
            between = not query.status["isTriggerActive"] or _batch(query) != batches[name]
            if not query.isActive or between or time.monotonic() > deadline:
                query.stop()
                del left[name]
        if left:
            time.sleep(STOP_POLL_S)


def _batch(query: StreamingQuery) -> int:
    last = query.lastProgress
    return -1 if last is None else int(last["batchId"])


def _report(state: Mapping[str, Mapping[str, Any]]) -> None:
    for name, found in state.items():
        log.info(
            "%s: batch %s, %s records/s, lag %s",
            name,
            found["batch"],
            found["rows_per_second"],
            found["lag"],
        )


def _close(spark: SparkSession) -> None:
    try:
        spark.stop()
    except Exception as error:
        # The exit code is known, and the JVM may have ended before.
        log.warning("the session did not end well: %s", queries.first_line(error))
