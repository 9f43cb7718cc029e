"""The state of a driver in Prometheus' text format.

Spark stores offsets in its checkpoint, where no lag exporter finds them: only the driver can
report the lag of its queries.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "kafka_metal_pipeline"
STATES = ("starting", "running", "failing", "stopping", "finished", "failed")

# Name, type, help text, and the key in the state; a dot separates nested keys.
PIPELINE_METRICS = (
    ("failed_starts", "gauge", "Consecutive failed starts of the driver", "failed_starts"),
    ("records_total", "counter", "Records validated since the driver started", "records.read"),
    (
        "invalid_records_total",
        "counter",
        "Invalid records since the driver started",
        "records.invalid",
    ),
)
# The same, with the key in an output's state.
OUTPUT_METRICS = (
    ("batch", "gauge", "Number of the last batch", "batch"),
    ("input_records", "gauge", "Records that the last batch read", "input_rows"),
    (
        "output_restarts_total",
        "counter",
        "Restarts of the output's query",
        "restarts",
    ),
    ("output_failed_time_seconds", "gauge", "When the output last failed", "failed_at"),
    ("archive_files", "gauge", "Listed files of the archive that were compared", "archive.files"),
    (
        "archive_missing_files",
        "gauge",
        "Listed files of the archive that are missing or have another size",
        "archive.missing",
    ),
    ("input_records_total", "counter", "Records read since the driver started", "input_rows_total"),
    ("records_per_second", "gauge", "Records per second of the last batch", "rows_per_second"),
    ("lag_records", "gauge", "Records of the source after the last batch", "lag"),
    ("batch_seconds", "gauge", "Duration of the last batch", "batch_seconds"),
    ("running_batch_seconds", "gauge", "Seconds that a batch runs now", "running_seconds"),
    (
        "planned_batch_seconds",
        "gauge",
        "Seconds for which a batch is planned",
        "planned_seconds",
    ),
    ("last_batch_timestamp_seconds", "gauge", "Start time of the last batch", "updated"),
    ("watermark_timestamp_seconds", "gauge", "Events before this time are dropped", "watermark"),
    ("state_rows", "gauge", "Rows in the state of the statement", "state_rows"),
    ("batch_limit_records", "gauge", "Maximum records of one batch", "limit"),
)


def render(snapshot: Mapping[str, Any]) -> str:
    """Return the text of ``/metrics`` for a state as in the status."""
    return "\n".join(_lines(snapshot)) + "\n"


def _lines(snapshot: Mapping[str, Any]) -> Iterator[str]:
    pipeline = snapshot["name"]
    yield from _head("state", "gauge", "1 for the current state of the driver")
    for state in STATES:
        labels = {"pipeline": pipeline, "state": state}
        yield _sample("state", labels, int(snapshot["state"] == state))
    for name, kind, help_text, key in PIPELINE_METRICS:
        if (value := _number(_nested(snapshot, key))) is not None:
            yield from _head(name, kind, help_text)
            yield _sample(name, {"pipeline": pipeline}, value)
    outputs = snapshot["outputs"]
    yield from _head("output_up", "gauge", "Whether the output's query has not failed")
    for name, output in outputs.items():
        labels = {"pipeline": pipeline, "output": name}
        yield _sample("output_up", labels, int(output.get("exception") is None))
    for name, kind, help_text, key in OUTPUT_METRICS:
        # Unknown values have no sample: 0 would be wrong.
        known = {each: _number(_nested(output, key)) for each, output in outputs.items()}
        samples = {each: value for each, value in known.items() if value is not None}
        if samples:
            yield from _head(name, kind, help_text)
        for each, value in samples.items():
            yield _sample(name, {"pipeline": pipeline, "output": each}, value)


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {PREFIX}_{name} {help_text}"
    yield f"# TYPE {PREFIX}_{name} {kind}"


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    inner = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
    return f"{PREFIX}_{name}{{{inner}}} {value}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _nested(state: Mapping[str, Any], key: str) -> object:
    found: object = state
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _number(value: object) -> float | None:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except ValueError:
            return None
    return value if isinstance(value, int | float) else None
