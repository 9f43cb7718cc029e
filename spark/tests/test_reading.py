"""Which outputs read together, and what each gets of a record that is read for all of them."""

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


def test_outputs_and_what_is_invalid_read_together() -> None:
    assert shared_outputs(declared({"a": TO_TOPIC, "b": {"path": "b"}})) == ["a", "b", "invalid"]
    assert shared_outputs(declared({"a": TO_TOPIC})) == ["a", "invalid"]


@pytest.mark.parametrize("own", [{"starting": PAST}, {"trigger": "real-time"}])
def test_one_that_stands_elsewhere_reads_for_itself(own: dict[str, Any]) -> None:
    found = shared_outputs(declared({"a": TO_TOPIC, "b": TO_TOPIC | own | {"topic": "other"}}))
    assert found == ["a", "invalid"]


def test_one_alone_has_nobody_to_read_with() -> None:
    assert shared_outputs(declared({"a": TO_TOPIC | {"starting": PAST}})) == []


def test_nobody_waits_for_one_with_a_slower_pace() -> None:
    found = declared({"a": TO_TOPIC, "slow": TO_TOPIC | {"topic": "o", "trigger": "1 minute"}})
    assert shared_outputs(found) == ["a", "slow", "invalid"]
    limits = {"a": 9, "slow": 9, "invalid": 9}
    assert outputs_to_wait_for(found, limits, shared_outputs(found)) == ["a", "invalid"]


def test_nobody_waits_for_one_that_can_do_much_less() -> None:
    found = declared({"a": TO_TOPIC, "table": TO_TOPIC | {"topic": "o"}})
    limits = common_limits({"a": 500, "table": 100, "invalid": 300}, shared_outputs(found))
    assert limits == {"a": 300, "table": 100, "invalid": 300}
    assert outputs_to_wait_for(found, limits, shared_outputs(found)) == ["a", "invalid"]


def test_whole_records_and_archives_are_read_by_each() -> None:
    whole = {"topic": "in", "format": "bytes"}
    outputs = {"a": TO_TOPIC, "b": TO_TOPIC | {"topic": "other"}}
    assert shared_outputs(parse("p", {"source": whole, "outputs": outputs})) == []
    replayed = parse("r", {"use": "replay", "from": {"path": "kept", "topics": ["in"]}, "to": "b"})
    assert shared_outputs(replayed) == []


def test_all_that_read_together_take_what_the_slowest_can_do() -> None:
    limits = {"a": 50, "b": 40, "late": 10}
    assert common_limits(limits, ["a", "b"]) == {"a": 40, "b": 40, "late": 10}
    assert common_limits(limits, []) == limits
