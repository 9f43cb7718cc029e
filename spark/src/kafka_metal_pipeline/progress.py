"""Progress of each query, from what Spark reports after every batch."""

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline.status import NOTHING

# Spark's status message of a query that has read all available records.
IDLE = "Waiting for data to arrive"

Lag = int | None
# Offsets by topic and partition.
Offsets = Mapping[tuple[str, str], int]


def query_progress(query: StreamingQuery) -> dict[str, Any]:
    """Return the last batch of a query: number, input records, records/s, seconds, lag.

    ``lag``: records in the topic after the batch's end when it was planned. While a batch is
    running it is at least 1: a batch that never ends, because its target is down, must not look
    like an idle query. ``updated``: start of the batch, ISO 8601. All are None before the first
    batch, except for a query without anything to read.
    """
    last = query.lastProgress
    status = query.status if query.isActive else {}
    idle = status.get("message") == IDLE
    if last is None:
        return {**NOTHING, **({"input_rows": 0, "lag": 0} if idle else {})}
    sources = last["sources"]
    return {
        "batch": last["batchId"],
        "input_rows": last["numInputRows"],
        "rows_per_second": 0.0 if idle else _rounded(last["processedRowsPerSecond"]),
        "lag": 0 if idle else _waiting(status, read_lag(sources[0] if sources else {})),
        "batch_seconds": _rounded(last["batchDuration"] / 1000),
        "running_seconds": None,
        "updated": last["timestamp"],
        "watermark": read_watermark(last),
        "state_rows": sum(each["numRowsTotal"] for each in last.get("stateOperators") or []),
    }


def _waiting(status: Mapping[str, Any], lag: Lag) -> Lag:
    is_running = status and status["isTriggerActive"] and status["isDataAvailable"]
    return 1 if is_running and lag == 0 else lag


def batches_since(query: StreamingQuery, batch: int) -> list[Mapping[str, Any]]:
    """Return the reports of batches after ``batch`` that have read records, oldest first.

    Spark keeps the last 100 reports, and reports idle time as batches without rows.
    """
    found: list[Mapping[str, Any]] = []
    for each in query.recentProgress:
        if each["batchId"] > batch and each["numInputRows"]:
            batch = each["batchId"]
            found.append(each)
    return found


def read_watermark(last: Mapping[str, Any]) -> str | None:
    """Return the watermark of a batch; None before the first event, where Spark reports 1970."""
    found = (last.get("eventTime") or {}).get("watermark")
    return None if found is None or str(found).startswith("1970-01-01T00:00:00") else str(found)


def read_lag(source: Mapping[str, Any]) -> Lag:
    """Return the records between a batch's end and the topics' end, over all partitions."""
    latest, end = (read_offsets(source.get(key)) for key in ("latestOffset", "endOffset"))
    return records_between(end, latest)


def records_between(processed: Offsets, ends: Offsets) -> Lag:
    """Return the records after ``processed`` up to ``ends``; None if either is unknown."""
    if not processed or not ends:
        return None
    return sum(max(0, end - processed.get(place, 0)) for place, end in ends.items())


def read_offsets(value: object) -> dict[tuple[str, str], int]:
    """Return offsets by topic and partition; Spark reports them as JSON or as its text."""
    parsed = json.loads(value) if isinstance(value, str) and value else value
    if not isinstance(parsed, Mapping):
        return {}
    return {
        (topic, partition): int(offset)
        for topic, partitions in parsed.items()
        if isinstance(partitions, Mapping)
        for partition, offset in partitions.items()
    }


def _rounded(number: float) -> float:
    return round(number, 3) if number == number and abs(number) != float("inf") else 0.0
