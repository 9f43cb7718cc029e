"""Which outputs read together, and what each gets of a record that is read for all of them."""

from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.reading import common, together, waited_for

TO_TOPIC = {"sql": "TABLE events", "topic": "out"}
PAST = {"in": {"0": 7}}


def declared(outputs: dict[str, Any], **body: Any) -> Declaration:
    source = {"topic": "in", "schema": "id STRING NOT NULL"}
    return parse("p", {"source": source, "outputs": outputs, "invalid": "bad", **body})


def test_outputs_and_what_is_invalid_read_together() -> None:
    assert together(declared({"a": TO_TOPIC, "b": {"path": "b"}})) == ["a", "b", "invalid"]
    assert together(declared({"a": TO_TOPIC})) == ["a", "invalid"]


@pytest.mark.parametrize("own", [{"starting": PAST}, {"trigger": "real-time"}])
def test_one_that_stands_elsewhere_reads_for_itself(own: dict[str, Any]) -> None:
    found = together(declared({"a": TO_TOPIC, "b": TO_TOPIC | own | {"topic": "other"}}))
    assert found == ["a", "invalid"]


def test_one_alone_has_nobody_to_read_with() -> None:
    assert together(declared({"a": TO_TOPIC | {"starting": PAST}})) == []


def test_nobody_waits_for_one_with_a_slower_pace() -> None:
    found = declared({"a": TO_TOPIC, "slow": TO_TOPIC | {"topic": "o", "trigger": "1 minute"}})
    assert together(found) == ["a", "slow", "invalid"]
    limits = {"a": 9, "slow": 9, "invalid": 9}
    assert waited_for(found, limits, together(found)) == ["a", "invalid"]


def test_nobody_waits_for_one_that_can_do_much_less() -> None:
    found = declared({"a": TO_TOPIC, "table": TO_TOPIC | {"topic": "o"}})
    limits = common({"a": 500, "table": 100, "invalid": 300}, together(found))
    assert limits == {"a": 300, "table": 100, "invalid": 300}
    assert waited_for(found, limits, together(found)) == ["a", "invalid"]


def test_whole_records_and_archives_are_read_by_each() -> None:
    whole = {"topic": "in", "format": "bytes"}
    outputs = {"a": TO_TOPIC, "b": TO_TOPIC | {"topic": "other"}}
    assert together(parse("p", {"source": whole, "outputs": outputs})) == []
    replayed = parse("r", {"use": "replay", "from": {"path": "kept", "topics": ["in"]}, "to": "b"})
    assert together(replayed) == []


def test_all_that_read_together_take_what_the_slowest_can_do() -> None:
    limits = {"a": 50, "b": 40, "late": 10}
    assert common(limits, ["a", "b"]) == {"a": 40, "b": 40, "late": 10}
    assert common(limits, []) == limits
