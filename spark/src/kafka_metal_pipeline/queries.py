"""One query with one checkpoint for each output, and one for the invalid records.

So that an output which is slow or fails holds up no other, and one can be added or renamed without
touching the rest. Which of them read the topic together is in ``reading``.
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

from kafka_metal_pipeline import checkpoint, cores, sizes
from kafka_metal_pipeline.checkpoint import Checkpoint
from kafka_metal_pipeline.invalid import invalid_records
from kafka_metal_pipeline.marks import Batches, LostCheckpointError, Mark
from kafka_metal_pipeline.sinks import target_of
from kafka_metal_pipeline.statements import (
    archive_rows,
    has_origin,
    own_headers,
    rows_of,
    topic_rows,
)
from kafka_metal_pipeline.streams import into_topic, to_topic
from kafka_metal_pipeline.transforms import accepted, judged, parse, rejected

log = logging.getLogger(__name__)

# How often a query whose records go on one by one notes how far it is. A crash repeats what came
# since.
REAL_TIME_COMMITS = "10 seconds"
RULES = "rules"


@dataclass(frozen=True)
class Flow:
    """Rows on their way to one target: a topic, an archive or a table."""

    name: str
    rows: DataFrame
    mode: str
    trigger: str
    topic: str | None
    output: Output | None
    checkpoint: Checkpoint
    # Bytes that a record of each topic may have which the rows go to.
    limits: tuple[int, ...] = ()
    # How many headers each row has, where all have as many; first those of the origin.
    own_headers: int | None = None


class StatementError(ValueError):
    """Rules or a statement that cannot be run over the declared events.

    ``key`` is the path of the key in the declaration, ``said`` what Spark says, without its plan.
    """

    def __init__(self, pipeline: str, key: str, error: BaseException) -> None:
        """Keep where it is, and the first line of the error."""
        self.key, self.said = key, first_line(error).rstrip(";")
        super().__init__(f"pipeline {pipeline}: {key}: {self.said}")


# ``max.message.bytes`` by topic, of those that exist.
Limits = Mapping[str, int]
# What is judged for one output, by its name and where it starts, None for where the source does.
Reader = Callable[[str, Starting | None], DataFrame]


def validate(records: DataFrame, declaration: Declaration) -> DataFrame:
    """Records of the source, judged. Raises StatementError, naming what is wrong with the rules."""
    source, rules = declaration.source, declaration.rules
    try:
        return judged(parse(records, source), source, rules)
    except Exception as error:
        raise StatementError(declaration.name, RULES, error) from error


def flows(
    records: DataFrame | Reader, declaration: Declaration, limits: Limits | None = None
) -> list[Flow]:
    """What becomes of the source's records. Raises StatementError, naming the output or rule."""

    def read(name: str, starting: Starting | None) -> DataFrame:
        if isinstance(records, DataFrame):
            return validate(records, declaration)
        return records(name, starting)

    return [flow(name, read, declaration, limits) for name in checkpoint.all_of(declaration)]


def flow(name: str, read: Reader, declaration: Declaration, limits: Limits | None = None) -> Flow:
    """What one output gets, or ``INVALID``. Rows that are too large for a topic go to invalid."""
    limits = limits or {}
    outputs = {each.name: each for each in declaration.outputs}
    if output := outputs.get(name):
        events = accepted(read(name, output.starting), declaration.source)
        return _divided(_flow(events, declaration, output), declaration, limits)
    room = limits.get(str(declaration.invalid))
    rows = invalid_records(
        rejected(read(INVALID, None), declaration.source, declaration.rules),
        room and sizes.usable(room, declaration.site),
    )
    return Flow(
        name=INVALID,
        rows=rows,
        mode="append",
        trigger=declaration.trigger,
        topic=declaration.invalid,
        output=None,
        checkpoint=checkpoint.of_output(declaration, INVALID, None),
        limits=() if room is None else (room,),
    )


def _divided(flow: Flow, declaration: Declaration, limits: Limits) -> Flow:
    topic, invalid, output = flow.topic, declaration.invalid, flow.output
    if topic is None or output is None or topic not in limits:
        return flow
    if invalid is None or invalid not in limits:
        return replace(flow, limits=(limits[topic],))
    rows = sizes.divided(
        flow.rows, topic, invalid, declaration.site, limits, flow.name, flow.own_headers
    )
    return replace(flow, rows=rows, limits=(limits[topic], limits[invalid]))


def start(flow: Flow, declaration: Declaration, batches: Batches | None = None) -> StreamingQuery:
    """Start a flow's query; its jobs share the cores fairly with those of the other queries.

    ``batches`` writes what a target with marks gets; they were brought together before.
    """
    spark = flow.rows.sparkSession
    spark.sparkContext.setLocalProperty("spark.scheduler.pool", flow.name)
    flow = replace(flow, rows=cores.leaving_one(flow.rows, declaration, flow.name))
    writer = _triggered(_writer(flow, declaration, batches), flow.trigger)
    return (
        writer.queryName(f"{declaration.name}-{flow.name}")
        # Rows of a topic are never taken back: in both modes each comes once.
        .outputMode("update" if flow.trigger == REAL_TIME else flow.mode)
        .option("checkpointLocation", flow.checkpoint.location)
        .start()
    )


def check_streaming(flow: Flow, pipeline: str) -> None:
    """Raise StatementError when the rows cannot be those of a stream: a query's start finds out."""
    jvm: Any = flow.rows.sparkSession._jvm
    modes = jvm.org.apache.spark.sql.streaming.OutputMode
    mode = modes.Update() if flow.mode == "update" else modes.Append()
    checker = jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
    frame: Any = flow.rows
    try:
        checker.checkForStreaming(frame._jdf.queryExecution().analyzed(), mode)
    except Exception as error:
        raise StatementError(pipeline, f"outputs.{flow.name}", error) from error


def once(flow: Flow, declaration: Declaration) -> None:
    """Write the rows of a flow over what is stored, as one batch.

    The batch's name stands for a checkpoint: an archive or table that holds it, or anything of
    another writer, is refused.
    """
    if flow.topic and not (flow.output and flow.output.delivery == TRANSACTIONAL):
        into_topic(flow.rows, flow.topic, declaration.site, list(flow.limits))
        return
    target = flow.output and target_of(
        flow.rows.sparkSession, declaration, flow.output, list(flow.limits)
    )
    if not target:
        raise ValueError(f"{flow.name} has no target")
    if target.mark():
        raise LostCheckpointError(
            f"pipeline {declaration.name}: outputs.{flow.name}: its target is filled already; "
            "a batch needs one of its own"
        )
    target.write(flow.rows, Mark(checkpoint="batch", batch=0, offsets=""))


def first_line(error: BaseException) -> str:
    """What an error says, without the plan that Spark adds."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _flow(events: DataFrame, declaration: Declaration, output: Output) -> Flow:
    own = None
    try:
        rows = rows_of(events, output)
        if output.topic:
            if declaration.source.format != "bytes" and has_origin(rows):
                own = own_headers(output.metadata)
            rows = topic_rows(rows, output, declaration.source)
        elif output.path:
            rows = archive_rows(rows, output, declaration.source)
        for what, names in (("partitioned by", output.partition_by), ("keyed by", output.keys)):
            if missing := [name for name in names if name not in rows.columns]:
                raise ValueError(f"{what} {missing}, which the statement does not select")
    except Exception as error:
        raise StatementError(declaration.name, f"outputs.{output.name}", error) from error
    return Flow(
        name=output.name,
        rows=rows,
        mode=output.mode,
        trigger=output.trigger,
        topic=output.topic,
        output=output,
        checkpoint=checkpoint.of_output(declaration, output.name, output),
        own_headers=own,
    )


def _writer(flow: Flow, declaration: Declaration, batches: Batches | None) -> DataStreamWriter:
    if batches:
        return flow.rows.writeStream.foreachBatch(batches)
    if flow.topic is None:
        raise ValueError(f"{flow.name} has no topic, and nothing that writes its batches")
    return to_topic(flow.rows, flow.topic, declaration.site, list(flow.limits))


def _triggered(writer: DataStreamWriter, trigger: str) -> DataStreamWriter:
    if trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    if trigger == REAL_TIME:
        # PySpark has it, and does not say so to a type checker.
        timed: Any = writer
        triggered: DataStreamWriter = timed.trigger(realTime=REAL_TIME_COMMITS)
        return triggered
    return writer.trigger(processingTime=trigger)
