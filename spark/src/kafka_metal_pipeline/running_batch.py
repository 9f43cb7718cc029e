"""Batches that run long: Spark reports nothing of a batch before its end.

A batch whose target or brokers are slow looks like the last finished one: its lag and its speed
would not change. The lag of a long batch is counted up to the current ends of the topics.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.model import Declaration
from kafka_metal_declarations.value_patterns import milliseconds
from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.progress import IDLE, Lag, Offsets, read_offsets, records_between
from kafka_metal_pipeline.rate import CATCH_UP_S

# Seconds from which the ends of the topics are read. Batches of short triggers are planned for at
# most 10 s; see ``rate``.
LONG_S = 20.0
# Seconds of a batch of a hundred large files of an archive.
ARCHIVE_S = 600.0


@dataclass(frozen=True, slots=True)
class RunningBatch:
    """A batch since its start at ``since``, in seconds of ``time.monotonic``.

    ``after`` is the start of the last reported batch, ISO 8601, or None.
    """

    after: str | None
    since: float


def planned_seconds(declaration: Declaration) -> dict[str, float]:
    """Return the seconds for which a batch of each query is planned: its trigger, or to catch up.

    See ``rate``. A pipeline that ends after the stored records has batches to catch up. Batches of
    an archive are limited by files, not by time.
    """
    triggers = {each.name: each.trigger for each in declaration.outputs}
    least = ARCHIVE_S if declaration.source.path else CATCH_UP_S
    return {
        name: max(least, milliseconds(triggers.get(name, declaration.trigger)) / 1000)
        for name in all_checkpoints(declaration)
    }


def running_batch(
    before: RunningBatch | None, query: StreamingQuery, now: float
) -> RunningBatch | None:
    """Return the batch of a query that runs at ``now``, None between batches.

    ``before`` is the one that ran at the last call.
    """
    status = query.status if query.isActive else {}
    if not status or not status["isTriggerActive"] or status["message"] == IDLE:
        return None
    last = query.lastProgress
    after = None if last is None else str(last["timestamp"])
    return before if before and before.after == after else RunningBatch(after, now)


def current_lag(ends: Offsets, last: Mapping[str, Any] | None) -> Lag:
    """Return the records between the last reported batch and ``ends``; None if either is unknown.

    A running batch counts as not processed.
    """
    sources = last["sources"] if last else []
    processed = read_offsets(sources[0].get("endOffset")) if sources else {}
    return records_between(processed, ends)
