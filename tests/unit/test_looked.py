"""Hosts that a step passes over because a look at the machine said enough."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.looked import references
from ansible_collections.metal.kafka.plugins.module_utils.looked import (
    without_engine,
    without_images,
)


def host(**engine):
    return {"preflight_machine": {"facts": {"engine": engine or None}}}


WHOLE = host(library=True, images=["kafka:1", "zookeeper:1", "other:7"])


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (WHOLE, False),
        (host(library=False, images=["kafka:1"]), True),
        # A fresh machine has no engine.
        (host(), True),
        # Preflight was not run, did not reach the machine, or could not read this.
        ({}, True),
        ({"preflight_machine": {"unreachable": True}}, True),
        ({"preflight_machine": {"facts": {}}}, True),
    ],
)
def test_an_engine_is_asked_unless_it_is_known_to_answer(found, asked):
    assert without_engine({"node1": found}) == (["node1"] if asked else [])


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (WHOLE, False),
        (host(library=True, images=["kafka:1"]), True),
        (host(library=True, images=["kafka:2", "zookeeper:1"]), True),
        (host(library=True, images=[]), True),
        ({}, True),
    ],
)
def test_images_are_looked_for_where_one_is_not_known_to_be_there(found, asked):
    wanted = ["kafka:1", "zookeeper:1"]
    assert without_images({"node1": found}, lambda _: wanted) == (["node1"] if asked else [])


def test_a_host_that_wants_nothing_lacks_nothing_once_looked_at():
    assert without_images({"node1": WHOLE}, lambda _: []) == []


def test_a_host_wants_no_image_that_a_play_asks_for_by_name():
    names = [reference.split("/")[-1].split(":")[0] for reference in references({})]
    assert "kafka" in names
    assert "prometheus" not in names
    assert references({"images_wanted": ["prometheus"]}) != []
