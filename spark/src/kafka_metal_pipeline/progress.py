"""How far each query has come, as Spark tells it after every batch."""

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline.status import NOTHING

# Spark's words for a query that has read everything there is.
IDLE = "Waiting for data to arrive"

Lag = int | None


def of_query(query: StreamingQuery) -> dict[str, Any]:
    """The last batch of a query: its number, records in, records/s, seconds, and the lag.

    ``lag`` is the number of records the topic held beyond the batch, when the batch was planned;
    None before the first one. While a batch is underway it is at least 1: one that never ends, for
    its target is away, must not look like a query that has read everything. ``updated`` is when the
    batch began, ISO 8601. All are None before the first batch, except for a query that found
    nothing to read.
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
        "lag": 0 if idle else _waiting(status, lag_of(sources[0] if sources else {})),
        "batch_seconds": _rounded(last["batchDuration"] / 1000),
        "updated": last["timestamp"],
        "watermark": watermark_of(last),
        "state_rows": sum(each["numRowsTotal"] for each in last.get("stateOperators") or []),
    }


def _waiting(status: Mapping[str, Any], lag: Lag) -> Lag:
    underway = status and status["isTriggerActive"] and status["isDataAvailable"]
    return 1 if underway and lag == 0 else lag


def rows_since(query: StreamingQuery, batch: int) -> tuple[int, int]:
    """Records that the batches after ``batch`` have read, and the newest of them.

    Spark keeps the last hundred, and while nothing comes tells the next batch as one of no rows.
    """
    rows, newest = 0, batch
    for each in query.recentProgress:
        if each["batchId"] > newest and each["numInputRows"]:
            newest = each["batchId"]
            rows += each["numInputRows"]
    return rows, newest


def watermark_of(last: Mapping[str, Any]) -> str | None:
    """The watermark of a batch; None before the first event, which Spark tells as 1970."""
    found = (last.get("eventTime") or {}).get("watermark")
    return None if found is None or str(found).startswith("1970-01-01T00:00:00") else str(found)


def lag_of(source: Mapping[str, Any]) -> Lag:
    """Records between a batch's end and the end of the topic, over all partitions."""
    latest, end = _offsets(source.get("latestOffset")), _offsets(source.get("endOffset"))
    if not latest or not end:
        return None
    return sum(max(0, offset - end.get(place, 0)) for place, offset in latest.items())


def _offsets(value: object) -> dict[tuple[str, str], int]:
    """Offsets by topic and partition; Spark gives them as JSON, or as the text of it."""
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
