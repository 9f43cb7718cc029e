"""Outputs that share one read of the source, and what each receives."""

from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.capacity import CAPACITY, batch_limits
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.reading import common_limits, outputs_to_wait_for, shared_outputs
from kafka_metal_pipeline.running_batch import planned_seconds

TO_TOPIC = {"sql": "TABLE events", "topic": "out"}
PAST = {"in": {"0": 7}}


def declared(outputs: dict[str, Any], **body: Any) -> Declaration:
    source = {"topic": "in", "schema": "id STRING NOT NULL"}
    return parse("p", {"source": source, "outputs": outputs, "invalid": "bad", **body})


def test_outputs_and_invalid_records_share_a_read() -> None:
    assert shared_outputs(declared({"a": TO_TOPIC, "b": {"path": "b"}})) == ["a", "b", "invalid"]
    assert shared_outputs(declared({"a": TO_TOPIC})) == ["a", "invalid"]


@pytest.mark.parametrize("own", [{"starting": PAST}, {"trigger": "real-time"}])
def test_output_with_own_start_reads_separately(own: dict[str, Any]) -> None:
    found = shared_outputs(declared({"a": TO_TOPIC, "b": TO_TOPIC | own | {"topic": "other"}}))
    assert found == ["a", "invalid"]


def test_single_output_is_not_shared() -> None:
    assert shared_outputs(declared({"a": TO_TOPIC | {"starting": PAST}})) == []


def test_outputs_with_slower_trigger_are_not_waited_for() -> None:
    found = declared({"a": TO_TOPIC, "slow": TO_TOPIC | {"topic": "o", "trigger": "1 minute"}})
    assert shared_outputs(found) == ["a", "slow", "invalid"]
    limits = {"a": 9, "slow": 9, "invalid": 9}
    assert outputs_to_wait_for(found, limits, shared_outputs(found)) == ["a", "invalid"]


def test_much_slower_outputs_are_not_waited_for() -> None:
    found = declared({"a": TO_TOPIC, "table": TO_TOPIC | {"topic": "o"}})
    shared = shared_outputs(found)
    measured = {"a": 500, "table": 100, "invalid": 300}
    limits = common_limits(measured, shared, planned_seconds(found))
    assert limits == {"a": 300, "table": 100, "invalid": 300}
    assert outputs_to_wait_for(found, limits, shared) == ["a", "invalid"]


def test_unparsed_records_and_archives_are_not_shared() -> None:
    whole = {"topic": "in", "format": "bytes"}
    outputs = {"a": TO_TOPIC, "b": TO_TOPIC | {"topic": "other"}}
    assert shared_outputs(parse("p", {"source": whole, "outputs": outputs})) == []
    replayed = parse("r", {"use": "replay", "from": {"path": "kept", "topics": ["in"]}, "to": "b"})
    assert shared_outputs(replayed) == []


def test_shared_outputs_have_the_limit_of_the_slowest() -> None:
    limits = {"a": 50, "b": 40, "late": 10}
    planned = dict.fromkeys(limits, 10.0)
    assert common_limits(limits, ["a", "b"], planned) == {"a": 40, "b": 40, "late": 10}
    assert common_limits(limits, [], planned) == limits


def test_output_with_longer_trigger_has_more_records_after_a_restart(tmp_path: Path) -> None:
    found = declared(
        {"a": TO_TOPIC, "slow": TO_TOPIC | {"topic": "o", "trigger": "1 minute"}},
        checkpoint_root=str(tmp_path),
    )
    speeds = {"a": 1000, "slow": 1000, "invalid": 800}
    for name, checkpoint in all_checkpoints(found).items():
        LocalFiles().write(f"{checkpoint.location}/{CAPACITY}", str(speeds[name]))
    planned, shared = planned_seconds(found), shared_outputs(found)
    limits = batch_limits(found, LocalFiles(), planned)
    # 0.8 of the throughput for a minute; the others catch up in batches of 10 seconds.
    assert limits == {"a": 10_000, "slow": 48_000, "invalid": 8_000}
    limits = common_limits(limits, shared, planned)
    assert limits == {"a": 8_000, "slow": 48_000, "invalid": 8_000}
    assert outputs_to_wait_for(found, limits, shared) == ["a", "invalid"]
