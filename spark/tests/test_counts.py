"""Counts of records in the status and metrics of a driver."""

from typing import Any

import pytest
from kafka_metal_pipeline import counts, metrics
from kafka_metal_pipeline.counts import RECENT_S, Counts, Records
from kafka_metal_pipeline.starts import FailedStarts
from kafka_metal_pipeline.status import Board


def test_recent_counts_forget_what_is_older() -> None:
    now = [0.0]
    found = Counts(lambda: now[0])
    found.add(Records(10, 4, "malformed"))
    now[0] = RECENT_S
    found.add(Records(5))
    recent = {"seconds": RECENT_S, "read": 15, "invalid": 4}
    total = {"read": 15, "invalid": 4, "reason": "malformed"}
    assert found.snapshot() == {**total, "recent": recent}
    now[0] += 1
    assert found.snapshot() == {**total, "recent": {**recent, "read": 5, "invalid": 0}}


def test_batch_without_a_rejected_record_keeps_the_reason() -> None:
    def batch(read: int, invalid: int, reason: str | None) -> dict[str, Any]:
        observed = {
            counts.VALIDATED: {"records": read},
            counts.REJECTIONS: {"records": invalid, "reason": reason},
        }
        return {"observedMetrics": observed}

    found = counts.of_batches([batch(3, 1, "empty"), batch(2, 0, None), {"observedMetrics": {}}])
    assert found == Records(5, 1, "empty")


@pytest.fixture
def board() -> Board:
    found = Board("p", ["kept", "invalid"], FailedStarts(failed=2, error="no broker"))
    found.add_records(Records(500, 500, "malformed: the value is not one row of 3 columns"))
    archive = {"files": 9, "missing": 1, "rows": 7, "first": "date=1/part-0.parquet"}
    found.set_output("kept", {"archive": archive, "failed_at": "2026-01-01T00:00:10+00:00"})
    return found


def test_status_has_counts_and_the_last_failed_start(board: Board) -> None:
    found = board.snapshot()
    assert (found["last_error"], found["failed_starts"]) == ("no broker", 2)
    # A key `error` would mean that the driver did not respond.
    assert "error" not in found
    assert (found["records"]["read"], found["records"]["invalid"]) == (500, 500)
    assert found["records"]["reason"].startswith("malformed")


def test_metrics_have_the_values_of_the_status(board: Board) -> None:
    lines = metrics.render(board.snapshot()).splitlines()
    for line in (
        'kafka_metal_pipeline_records_total{pipeline="p"} 500',
        'kafka_metal_pipeline_invalid_records_total{pipeline="p"} 500',
        'kafka_metal_pipeline_failed_starts{pipeline="p"} 2',
        'kafka_metal_pipeline_archive_files{pipeline="p",output="kept"} 9',
        'kafka_metal_pipeline_archive_missing_files{pipeline="p",output="kept"} 1',
        'kafka_metal_pipeline_output_failed_time_seconds{pipeline="p",output="kept"} 1767225610.0',
    ):
        assert line in lines
    assert not any('archive_files{pipeline="p",output="invalid"}' in line for line in lines)


def test_pipeline_without_invalid_topic_has_no_counts() -> None:
    snapshot = Board("p", ["kept"]).snapshot()
    assert snapshot["records"] is None
    assert "records_total{" not in metrics.render(snapshot).replace("input_records_total{", "")
