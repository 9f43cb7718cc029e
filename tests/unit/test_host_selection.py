"""Hosts that a step skips because of the facts that preflight has read."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.host_selectors import (
    one_per_machine,
    references,
)
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
    ("found", "selected"),
    [
        (WHOLE, False),
        (host(library=False, images=["kafka:1"]), True),
        # A new machine has no engine.
        (host(), True),
        # Preflight was not run, did not reach the machine, or could not read this.
        ({}, True),
        ({"preflight_machine": {"unreachable": True}}, True),
        ({"preflight_machine": {"facts": {}}}, True),
    ],
)
def test_host_is_selected_unless_its_engine_responds(found, selected):
    assert without_engine({"node1": found}) == (["node1"] if selected else [])


@pytest.mark.parametrize(
    ("found", "selected"),
    [
        (WHOLE, False),
        (host(library=True, images=["kafka:1"]), True),
        (host(library=True, images=["kafka:2", "zookeeper:1"]), True),
        (host(library=True, images=[]), True),
        ({}, True),
    ],
)
def test_host_is_selected_if_an_image_may_be_missing(found, selected):
    images = ["kafka:1", "zookeeper:1"]
    assert without_images({"node1": found}, lambda _: images) == (["node1"] if selected else [])


def test_inspected_host_without_images_lacks_none():
    assert without_images({"node1": WHOLE}, lambda _: []) == []


def test_images_for_named_use_are_not_required_by_default():
    names = [reference.split("/")[-1].split(":")[0] for reference in references({})]
    assert "kafka" in names
    assert "prometheus" not in names
    assert references({"images_required": ["prometheus"]}) != []


@pytest.mark.parametrize(
    ("engine_error", "started"),
    [("", False), ("not installed", False), ("/run/docker.sock: Connection refused", True)],
)
def test_installed_engine_without_response_is_started_first(engine_error, started):
    found = {"preflight_machine": {"facts": {"engine_error": engine_error, "engine": None}}}
    assert with_unreachable_engine({"node1": found, "node2": {}}) == (["node1"] if started else [])
    # The step that installs engines does not select it again.
    assert ("node1" in without_engine({"node1": found})) is not started


def test_identities_have_the_reason_if_they_could_not_be_read():
    state = {"running": [], "configured": [], "roots": ["AA"], "data": [], "unreadable": []}
    hosts = {
        "known": {"preflight_machine": {"facts": {"cluster": state}}},
        "away": {"preflight_machine": {"unreachable": True}},
        "broken": {"preflight_machine": {"facts": {}, "unknown": {"cluster": "no such process"}}},
        "limited": {},
        # Verbs that do not inspect machines read only the identity.
        "alone": {"security_identity": {"identity": state}},
        "alone away": {"security_identity": {"unreachable": True}},
        "alone broken": {"security_identity": {"unknown": "no such process"}},
        "skipped": {"security_identity": {"skipped": True}},
    }
    found = {each["name"]: each for each in identities([*hosts, "not in the run"], hosts)}
    assert found["known"] == {"name": "known", **state}
    assert found["away"]["unreadable"] == ["it is unreachable"]
    assert found["broken"]["unreadable"] == ["no such process"]
    assert found["limited"] == {
        **{"name": "limited", "reached": False},
        "unreadable": ["it is not part of this run"],
    }
    assert found["not in the run"]["reached"] is False
    for name in ("known", "away", "broken"):
        alone = {"known": "alone"}.get(name, f"alone {name}")
        assert {**found[alone], "name": name} == found[name]
    known = {"known", "alone"}
    assert without_identity(hosts) == [name for name in hosts if name not in known]


def test_files_of_a_machine_are_read_by_one_of_its_hosts():
    hosts = {"k1": {"metal_machine": "m1"}, "k2": {"metal_machine": "m1"}, "k3": {}}
    assert one_per_machine(list(hosts), hosts) == ["k1", "k3"]
    # Before the first play.
    assert one_per_machine(["k1", "k2"], {}) == ["k1", "k2"]
