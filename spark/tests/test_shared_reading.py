"""Outputs that share one read of the source, and what each receives."""

from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.reading import common_limits, outputs_to_wait_for, shared_outputs

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
    limits = common_limits({"a": 500, "table": 100, "invalid": 300}, shared_outputs(found))
    assert limits == {"a": 300, "table": 100, "invalid": 300}
    assert outputs_to_wait_for(found, limits, shared_outputs(found)) == ["a", "invalid"]


def test_unparsed_records_and_archives_are_not_shared() -> None:
    whole = {"topic": "in", "format": "bytes"}
    outputs = {"a": TO_TOPIC, "b": TO_TOPIC | {"topic": "other"}}
    assert shared_outputs(parse("p", {"source": whole, "outputs": outputs})) == []
    replayed = parse("r", {"use": "replay", "from": {"path": "kept", "topics": ["in"]}, "to": "b"})
    assert shared_outputs(replayed) == []


def test_shared_outputs_have_the_limit_of_the_slowest() -> None:
    limits = {"a": 50, "b": 40, "late": 10}
    assert common_limits(limits, ["a", "b"]) == {"a": 40, "b": 40, "late": 10}
    assert common_limits(limits, []) == limits
