"""The driver process: starts every query and keeps each running.

A failed query is restarted alone, see ``supervision``. The driver exits if its JVM fails; the
container's restart policy then starts a new one, which continues from the checkpoints.
"""

import logging
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from kafka_metal_declarations.model import AVAILABLE_NOW
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import (
    brokers,
    cores,
    preparation,
    queries,
    reading,
    sql_check,
    streams,
)
from kafka_metal_pipeline.archive_check import ArchiveWatch, archive_checks
from kafka_metal_pipeline.capacity import batch_limits, keep_capacity
from kafka_metal_pipeline.changes import Changes
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.declared_file import DeclaredFile, has_changed
from kafka_metal_pipeline.driver_session import Session
from kafka_metal_pipeline.exit_codes import CHANGED, DIED, DONE, REFUSED, RENEW
from kafka_metal_pipeline.failures import explain
from kafka_metal_pipeline.limits import Limits
from kafka_metal_pipeline.recreated import RecreatedTopicError
from kafka_metal_pipeline.refusals import REFUSALS
from kafka_metal_pipeline.registry import WriterSchemas
from kafka_metal_pipeline.running_batch import planned_seconds
from kafka_metal_pipeline.schema_wait import read_schemas
from kafka_metal_pipeline.status import FINISHED, STOPPING, Board
from kafka_metal_pipeline.stopping import STOP_S, stop_between_batches
from kafka_metal_pipeline.storage import Storage
from kafka_metal_pipeline.supervision import Supervisor

log = logging.getLogger(__name__)

POLL_S = 1.0
# Seconds that a driver that cannot run still serves the reason on its status port. A restart would
# fail in the same way; another declaration may not.
REFUSED_STATUS_S = 60.0
REPORT_EVERY_S = 60.0


def run(file: DeclaredFile, board: Board, stopping: threading.Event) -> int:
    """Run until ``stopping`` is set, all available records are read, or the driver fails.

    Another declaration in the file is run in the same session. Return the exit code.
    """
    running, changes = Session(), Changes(file, board)
    while True:
        code = _attempt(running, file, board, stopping, changes)
        if code == REFUSED and file.declaration.site.status:
            # Other pipelines may need its cores.
            running.close()
            code = _wait_for_change(file, board, stopping)
        if code == CHANGED and stopping.is_set():
            # The time until the container is killed is not enough for new queries.
            code = DONE
        if code != CHANGED:
            break
        log.info("pipeline %s: its declaration has changed", file.declaration.name)
        board.begin(file.digest, list(all_checkpoints(file.declaration)))
    if code == DONE:
        board.set_state(FINISHED)
    running.close()
    return code


def _attempt(
    running: Session,
    file: DeclaredFile,
    board: Board,
    stopping: threading.Event,
    changes: Changes,
) -> int:
    """Run the declaration; return the exit code, or CHANGED for another one in its file."""
    name = file.declaration.name
    try:
        schemas = changes.begin() or read_schemas(file, board, stopping)
        if not isinstance(schemas, WriterSchemas):
            return schemas
        spark = running.open(file.declaration)
        sql_check.require_allowed(spark, file.declaration)
        board.set_id(str(spark.sparkContext.applicationId))
        code = RENEW
        while code == RENEW:
            code = _run(spark, schemas, board, stopping, changes)
        return code
    except REFUSALS as error:
        log.error("%s", error)
        board.fail(str(error), refused=True)
        return REFUSED
    except Exception as error:
        # For example a dead JVM: without its queries the driver must not keep running.
        log.exception("pipeline %s: the driver failed", name)
        board.fail(f"pipeline {name}: {explain(error)}")
        return DIED


def _wait_for_change(file: DeclaredFile, board: Board, stopping: threading.Event) -> int:
    """Return CHANGED if the declaration changes while the reason of the refusal is served."""
    until = time.monotonic() + REFUSED_STATUS_S
    while time.monotonic() < until and not stopping.wait(POLL_S):
        if has_changed(file, board):
            return CHANGED
    return REFUSED


def _run(
    spark: SparkSession,
    schemas: WriterSchemas,
    board: Board,
    stopping: threading.Event,
    changes: Changes,
) -> int:
    """Run as ``run`` does, or return RENEW if the queries have to start with other schemas."""
    # A refused declaration closes what it opened, too: the driver may run another one.
    with ExitStack() as opened:
        return _run_queries(spark, schemas, board, stopping, changes, opened)


def _run_queries(
    spark: SparkSession,
    schemas: WriterSchemas,
    board: Board,
    stopping: threading.Event,
    changes: Changes,
    opened: ExitStack,
) -> int:
    declaration = schemas.declaration
    storage = Storage(spark)
    shared = reading.shared_outputs(declaration)
    planned = planned_seconds(declaration)
    limits = reading.common_limits(batch_limits(declaration, storage, planned), shared, planned)
    if shared:
        log.info("share one read: %s", ", ".join(shared))
    cores.check(declaration, partial(brokers.count_partitions, spark, declaration))
    opened.callback(streams.forget_shared_reads, spark)
    read, change_limit = reading.reader(spark, declaration, limits, shared)
    admin = brokers.Brokers(spark, declaration.site)
    opened.callback(admin.close)
    source = declaration.source
    watch = brokers.TopicWatch(admin, () if source.path else source.topics)
    opened.callback(watch.stop)
    # An invalid statement refuses the whole pipeline; an invalid checkpoint only its output.
    sizes = admin.limits(brokers.written_topics(declaration))
    flows = {flow.name: flow for flow in queries.flows(read, declaration, sizes)}

    def start(name: str) -> StreamingQuery:
        # For a restart, build the flow again: limits may have changed, and its reader has ended.
        flow = flows.pop(name, None) or queries.flow(
            name, read, declaration, admin.limits(brokers.written_topics(declaration))
        )
        topics = admin.topics(() if source.path else source.topics)
        batches = preparation.prepare(flow, declaration, topics, watch.check)
        board.set_output(name, {"limit": limits.get(name)})
        return queries.start(flow, declaration, batches)

    def set_limit(name: str, limit: int) -> bool:
        board.set_output(name, {"limit": limit})
        return change_limit(name, limit)

    is_endless = declaration.trigger != AVAILABLE_NOW
    supervisor = Supervisor(declaration.name, planned, start, board, is_endless)
    archives = ArchiveWatch(archive_checks(declaration, storage), board)
    opened.callback(archives.stop)
    archives.start()
    # Files of an archive are not limited by records, and `available-now` runs no query again.
    has_limits = is_endless and not source.path
    raised = Limits(
        limits if has_limits else {}, planned, source.max_per_trigger,
        partial(reading.common_limits, shared=shared, planned=planned), set_limit,
    )  # fmt: skip
    code = _watch(supervisor, watch, raised, schemas, board, stopping, changes)
    if code in (DONE, CHANGED):
        board.set_state(STOPPING)
    running = supervisor.queries
    stop_between_batches(running, STOP_S)
    # Counts of records continue with another declaration, and with other schemas.
    supervisor.count_last()
    for name, checkpoint in all_checkpoints(declaration).items():
        if name in running:
            keep_capacity(running[name], checkpoint.location, storage)
    return code


def _watch(
    supervisor: Supervisor,
    watch: brokers.TopicWatch,
    limits: Limits,
    schemas: WriterSchemas,
    board: Board,
    stopping: threading.Event,
    changes: Changes,
) -> int:
    name, reported = schemas.declaration.name, time.monotonic()
    supervisor.start_all()
    while not stopping.wait(POLL_S):
        watch.reads_ends = supervisor.has_long_batch
        state = supervisor.update(watch.ends)
        # As for another declaration, all queries have to be known. Another one replaces this one.
        is_current = not changes.is_ready and supervisor.finish_starts()
        if is_current and schemas.renew(supervisor.errors.values()):
            return RENEW
        if time.monotonic() - reported >= REPORT_EVERY_S:
            _report(state)
            restarts = limits.raise_limits(supervisor.queries)
            stop_between_batches(restarts, STOP_S)
            for output, query in restarts.items():
                # An error of the query is for the next update.
                if query.exception() is None:
                    supervisor.restart(output)
            reported = time.monotonic()
        if supervisor.is_done and not schemas.is_waiting:
            errors = supervisor.errors
            if not errors:
                return DONE
            is_refused = all(isinstance(each, REFUSALS) for each in errors.values())
            failures = "; ".join(f"output {name}: {explain(each)}" for name, each in errors.items())
            board.fail(f"pipeline {name}: {failures}", refused=is_refused)
            return REFUSED if is_refused else DIED
        try:
            watch.check_seen()
        except RecreatedTopicError as error:
            supervisor.interrupt(error)
            watch.renew()
        if not changes.refresh():
            supervisor.start_due()
        elif supervisor.finish_starts():
            # All queries will be stopped, so all have to be known, and no further one starts.
            return CHANGED
    log.info("pipeline %s: stopping on a signal", name)
    return DONE


def _report(state: Mapping[str, Mapping[str, Any]]) -> None:
    for name, found in state.items():
        log.info(
            "%s: batch %s, %s records/s, lag %s",
            name,
            found["batch"],
            found["rows_per_second"],
            found["lag"],
        )
