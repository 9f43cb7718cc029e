"""Hosts that a step passes over because a look at the machine said enough."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.engine_answers import references
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.host_selection import (
    identities,
    with_unreachable_engine,
    without_engine,
    without_identity,
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
    assert references({"images_required": ["prometheus"]}) != []


@pytest.mark.parametrize(
    ("silence", "started"),
    [("", False), ("not installed", False), ("/run/docker.sock: Connection refused", True)],
)
def test_an_engine_that_is_there_and_silent_is_started_first(silence, started):
    found = {"preflight_machine": {"facts": {"silence": silence, "engine": None}}}
    assert with_unreachable_engine({"node1": found, "node2": {}}) == (["node1"] if started else [])
    # Not a second time by the step that installs engines.
    assert ("node1" in without_engine({"node1": found})) is not started


def test_what_machines_have_of_the_cluster_is_told_with_the_reason_where_it_is_not_known():
    members = {"running": [], "configured": [], "roots": ["AA"], "data": [], "unread": []}
    hosts = {
        "known": {"preflight_machine": {"facts": {"members": members}}},
        "away": {"preflight_machine": {"unreachable": True}},
        "broken": {"preflight_machine": {"facts": {}, "unknown": {"members": "no such process"}}},
        "limited": {},
    }
    told = {each["name"]: each for each in identities([*hosts, "not in the run"], hosts)}
    assert told["known"] == {"name": "known", **members}
    assert told["away"]["unread"] == ["it is unreachable"]
    assert told["broken"]["unread"] == ["no such process"]
    assert told["limited"] == {
        **{"name": "limited", "asked": False},
        "unread": ["it is no part of this run"],
    }
    assert told["not in the run"]["asked"] is False
    assert without_identity(hosts) == ["away", "broken", "limited"]
