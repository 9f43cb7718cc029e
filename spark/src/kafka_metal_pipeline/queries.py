"""One query with one checkpoint for each output, and one for the invalid records.

So that an output which is slow or fails holds up no other, and one can be added or renamed without
touching the rest. Each reads the topic for itself.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafka_metal_pipeline import checkpoint
from kafka_metal_pipeline.archive import to_archive
from kafka_metal_pipeline.checkpoint import Checkpoint
from kafka_metal_pipeline.declared_outputs import INVALID
from kafka_metal_pipeline.invalid import invalid_records
from kafka_metal_pipeline.model import AVAILABLE_NOW, Declaration, Output
from kafka_metal_pipeline.statements import archive_rows, rows_of, topic_records
from kafka_metal_pipeline.streams import to_topic
from kafka_metal_pipeline.transforms import accepted, parse, rejected


@dataclass(frozen=True)
class Flow:
    """Rows on their way to one sink: a topic, or else an archive."""

    name: str
    rows: DataFrame
    mode: str
    trigger: str
    topic: str | None
    output: Output | None
    checkpoint: Checkpoint


class StatementError(ValueError):
    """An output whose statement cannot be run over the declared events."""


def flows(records: DataFrame, declaration: Declaration) -> list[Flow]:
    """What becomes of the source's records. Raises StatementError, naming the output or rule."""
    source, rules = declaration.source, declaration.rules
    parsed = parse(records, source)
    try:
        events = accepted(parsed, source, rules)
    except Exception as error:
        raise StatementError(f"pipeline {declaration.name}: rules: {first_line(error)}") from error
    found = [_flow(events, declaration, output) for output in declaration.outputs]
    return [
        *found,
        Flow(
            name=INVALID,
            rows=invalid_records(rejected(parsed, source, rules)),
            mode="append",
            trigger=declaration.trigger,
            topic=declaration.invalid,
            output=None,
            checkpoint=checkpoint.of_output(declaration, INVALID, None),
        ),
    ]


def start(flow: Flow, declaration: Declaration) -> StreamingQuery:
    """Start a flow's query; its jobs share the cores fairly with those of the other queries."""
    spark = flow.rows.sparkSession
    spark.sparkContext.setLocalProperty("spark.scheduler.pool", flow.name)
    writer = _triggered(_writer(flow, declaration), flow.trigger)
    return (
        writer.queryName(f"{declaration.name}-{flow.name}")
        .outputMode(flow.mode)
        .option("checkpointLocation", flow.checkpoint.location)
        .start()
    )


def first_line(error: BaseException) -> str:
    """What an error says, without the plan that Spark adds."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _flow(events: DataFrame, declaration: Declaration, output: Output) -> Flow:
    try:
        rows = rows_of(events, output)
        if output.topic:
            rows = topic_records(rows, output.key)
        else:
            rows = archive_rows(rows, output, declaration.source)
        missing = [name for name in output.partition_by if name not in rows.columns]
        if missing:
            raise ValueError(f"partitioned by {missing}, which the statement does not select")
    except Exception as error:
        raise StatementError(
            f"pipeline {declaration.name}: outputs.{output.name}: {first_line(error)}"
        ) from error
    return Flow(
        name=output.name,
        rows=rows,
        mode=output.mode,
        trigger=output.trigger,
        topic=output.topic,
        output=output,
        checkpoint=checkpoint.of_output(declaration, output.name, output),
    )


def _writer(flow: Flow, declaration: Declaration) -> DataStreamWriter:
    if flow.topic:
        return to_topic(flow.rows, flow.topic, declaration.site)
    if flow.output is None or flow.checkpoint.archive is None:
        raise ValueError(f"{flow.name} has neither a topic nor an archive")
    return to_archive(flow.rows, flow.output, flow.checkpoint.archive)


def _triggered(writer: DataStreamWriter, trigger: str) -> DataStreamWriter:
    if trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    return writer.trigger(processingTime=trigger)
