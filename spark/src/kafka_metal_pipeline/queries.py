"""One query and checkpoint per output, and one for the invalid records.

So a slow or failed output does not delay others, and an output can be added or renamed without
effect on the rest. ``reading`` determines which outputs share one read of the topic.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_declarations.model import (
    AVAILABLE_NOW,
    REAL_TIME,
    TRANSACTIONAL,
    Declaration,
    Output,
    Starting,
)
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafka_metal_pipeline import checkpoint, cores, counts, sizes
from kafka_metal_pipeline.checkpoint import Checkpoint
from kafka_metal_pipeline.invalid import invalid_records
from kafka_metal_pipeline.marks import Batches, LostCheckpointError, Mark
from kafka_metal_pipeline.sinks import output_target
from kafka_metal_pipeline.statements import (
    archive_rows,
    has_origin,
    own_headers,
    statement_rows,
    topic_rows,
)
from kafka_metal_pipeline.streams import into_topic, to_topic
from kafka_metal_pipeline.transforms import (
    accepted_events,
    parse,
    rejected_records,
    validate_records,
)

log = logging.getLogger(__name__)

# How often a real-time query commits its offsets. A crash repeats the records since then.
REAL_TIME_COMMITS = "10 seconds"
RULES = "rules"


@dataclass(frozen=True)
class Flow:
    """Rows for one target: a topic, an archive or a table."""

    name: str
    rows: DataFrame
    mode: str
    trigger: str
    topic: str | None
    output: Output | None
    checkpoint: Checkpoint
    # Maximum record bytes of each topic that the rows are written to.
    limits: tuple[int, ...] = ()
    # Number of headers if it is the same in each row; the origin's are first.
    own_headers: int | None = None


class StatementError(ValueError):
    """Rules or a statement that cannot run over the declared fields.

    ``key`` is the path of the key in the declaration, ``reason`` Spark's error without the plan.
    """

    def __init__(self, pipeline: str, key: str, error: BaseException) -> None:
        """Keep the place and the first line of the error."""
        self.key, self.reason = key, first_line(error).rstrip(";")
        super().__init__(f"pipeline {pipeline}: {key}: {self.reason}")


# ``max.message.bytes`` by topic, of existing topics.
Limits = Mapping[str, int]
# Returns the validated records for an output, by its name and start (None: the source's start).
Reader = Callable[[str, Starting | None], DataFrame]


def validate(records: DataFrame, declaration: Declaration) -> DataFrame:
    """Return validated records of the source; StatementError names the rules on an error."""
    source, rules = declaration.source, declaration.rules
    try:
        return validate_records(parse(records, source), source, rules)
    except Exception as error:
        raise StatementError(declaration.name, RULES, error) from error


def flows(
    records: DataFrame | Reader, declaration: Declaration, limits: Limits | None = None
) -> list[Flow]:
    """Return the flows of a pipeline; StatementError names the output or rule."""

    def read(name: str, starting: Starting | None) -> DataFrame:
        if isinstance(records, DataFrame):
            return validate(records, declaration)
        return records(name, starting)

    return [
        flow(name, read, declaration, limits) for name in checkpoint.all_checkpoints(declaration)
    ]


def flow(name: str, read: Reader, declaration: Declaration, limits: Limits | None = None) -> Flow:
    """Return the flow of an output, or of ``INVALID``; too large rows go to the invalid topic."""
    limits = limits or {}
    outputs = {each.name: each for each in declaration.outputs}
    if output := outputs.get(name):
        events = accepted_events(read(name, output.starting), declaration.source)
        return _split_by_size(_flow(events, declaration, output), declaration, limits)
    room = limits.get(str(declaration.invalid))
    validated = counts.observe_validated(read(INVALID, None))
    rejected = rejected_records(validated, declaration.source, declaration.rules)
    rows = invalid_records(
        counts.observe_rejected(rejected), room and sizes.usable_bytes(room, declaration.site)
    )
    return Flow(
        name=INVALID,
        rows=rows,
        mode="append",
        trigger=declaration.trigger,
        topic=declaration.invalid,
        output=None,
        checkpoint=checkpoint.output_checkpoint(declaration, INVALID, None),
        limits=() if room is None else (room,),
    )


def _split_by_size(flow: Flow, declaration: Declaration, limits: Limits) -> Flow:
    topic, invalid, output = flow.topic, declaration.invalid, flow.output
    if topic is None or output is None or topic not in limits:
        return flow
    if invalid is None or invalid not in limits:
        return replace(flow, limits=(limits[topic],))
    rows = sizes.split_by_size(
        flow.rows, topic, invalid, declaration.site, limits, flow.name, flow.own_headers
    )
    return replace(flow, rows=rows, limits=(limits[topic], limits[invalid]))


def start(flow: Flow, declaration: Declaration, batches: Batches | None = None) -> StreamingQuery:
    """Start a flow's query in a scheduler pool of its own, for fair sharing of cores.

    ``batches`` writes to targets with marks; see ``preparation.prepare``.
    """
    spark = flow.rows.sparkSession
    spark.sparkContext.setLocalProperty("spark.scheduler.pool", flow.name)
    flow = replace(flow, rows=cores.with_spare_core(flow.rows, declaration, flow.name))
    writer = _triggered(_writer(flow, declaration, batches), flow.trigger)
    return (
        writer.queryName(f"{declaration.name}-{flow.name}")
        # Rows in a topic cannot be retracted: both modes write each row once.
        .outputMode("update" if flow.trigger == REAL_TIME else flow.mode)
        .option("checkpointLocation", flow.checkpoint.location)
        .start()
    )


def check_streaming(flow: Flow, pipeline: str) -> None:
    """Raise StatementError if the rows cannot be streamed, which otherwise only a start reports."""
    jvm: Any = flow.rows.sparkSession._jvm
    modes = jvm.org.apache.spark.sql.streaming.OutputMode
    mode = modes.Update() if flow.mode == "update" else modes.Append()
    checker = jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
    frame: Any = flow.rows
    try:
        checker.checkForStreaming(frame._jdf.queryExecution().analyzed(), mode)
    except Exception as error:
        raise StatementError(pipeline, f"outputs.{flow.name}", error) from error


def write_batch(flow: Flow, declaration: Declaration) -> None:
    """Write the rows of a flow over stored records, as one batch.

    The mark's checkpoint is "batch": an archive or table that was written before is refused.
    """
    if flow.topic and not (flow.output and flow.output.delivery == TRANSACTIONAL):
        into_topic(flow.rows, flow.topic, declaration.site, list(flow.limits))
        return
    target = flow.output and output_target(
        flow.rows.sparkSession, declaration, flow.output, list(flow.limits)
    )
    if not target:
        raise ValueError(f"{flow.name} has no target")
    if target.mark():
        raise LostCheckpointError(
            f"pipeline {declaration.name}: outputs.{flow.name}: its target has rows already; "
            "a batch needs an empty target"
        )
    target.write(flow.rows, Mark(checkpoint="batch", batch=0, offsets=""))


def first_line(error: BaseException) -> str:
    """Return an error's first line, without Spark's plan."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _flow(events: DataFrame, declaration: Declaration, output: Output) -> Flow:
    own = None
    try:
        rows = statement_rows(events, output)
        if output.topic:
            if declaration.source.format != "bytes" and has_origin(rows):
                own = own_headers(output.metadata)
            rows = topic_rows(rows, output, declaration.source)
        elif output.path:
            rows = archive_rows(rows, output, declaration.source)
        for key, names in (("partition_by", output.partition_by), ("keys", output.keys)):
            if missing := [name for name in names if name not in rows.columns]:
                raise ValueError(
                    f"{key}: found {', '.join(missing)}; allowed: columns of the statement: "
                    f"{', '.join(rows.columns)}"
                )
    except Exception as error:
        raise StatementError(declaration.name, f"outputs.{output.name}", error) from error
    return Flow(
        name=output.name,
        rows=rows,
        mode=output.mode,
        trigger=output.trigger,
        topic=output.topic,
        output=output,
        checkpoint=checkpoint.output_checkpoint(declaration, output.name, output),
        own_headers=own,
    )


def _writer(flow: Flow, declaration: Declaration, batches: Batches | None) -> DataStreamWriter:
    if batches:
        return flow.rows.writeStream.foreachBatch(batches)
    if flow.topic is None:
        raise ValueError(f"{flow.name} has neither a topic nor a target with marks")
    return to_topic(flow.rows, flow.topic, declaration.site, list(flow.limits))


def _triggered(writer: DataStreamWriter, trigger: str) -> DataStreamWriter:
    if trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    if trigger == REAL_TIME:
        # PySpark's type hints lack the parameter realTime.
        timed: Any = writer
        triggered: DataStreamWriter = timed.trigger(realTime=REAL_TIME_COMMITS)
        return triggered
    return writer.trigger(processingTime=trigger)
