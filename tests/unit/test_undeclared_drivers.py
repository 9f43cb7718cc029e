"""Drivers that are no longer declared, and responses of the wrong driver."""

import re

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline import undeclared_drivers
from ansible_collections.metal.kafka.plugins.filter.pipeline_status import pipeline_status


def drivers(*names):
    return [
        {
            "Names": [f"/prod-pipeline-{name}"],
            "Labels": {"kafka-metal.instance": f"pipeline-{name}"},
        }
        for name in names
    ]


def of(names, declared, limited=False, defined=True, confirmed=False):
    return undeclared_drivers(drivers(*names), declared, limited, defined, confirmed)


def test_undeclared_driver_is_removed_and_named():
    found = of(["a", "b", "c"], ["a", "b", "new"])
    assert found["gone"] == [{"name": "c", "container": "prod-pipeline-c"}]
    assert found["notes"] == [
        "pipeline c: no longer declared, its driver is stopped and removed; its checkpoint, "
        "archive and topics are kept"
    ]


def test_declared_drivers_have_no_note():
    found = of(["a"], ["a", "b"])
    assert (found["gone"], found["notes"], found["refused"]) == ([], [], [])


def test_run_with_limit_removes_no_driver():
    found = of(["a", "b"], ["a"], limited=True)
    assert found["gone"] == []
    assert "kept in a run with --limit" in found["notes"][0]


@pytest.mark.parametrize(
    ("declared", "how", "message"),
    [
        (["a"], {"defined": False}, "does not define pipeline_pipelines any more"),
        ([], {}, r"2 of 2 applied before are no longer declared: a, b; .*confirm"),
    ],
)
def test_apparently_lost_declaration_is_refused(declared, how, message):
    found = of(["a", "b"], declared, **how)
    assert (found["gone"], found["unconfirmed"]) == ([], [] if declared else ["pipelines"])
    assert re.search(message, "; ".join(found["refused"]))


def test_all_drivers_are_removed_after_confirmation():
    assert len(of(["a", "b"], [], confirmed=True)["gone"]) == 2


def test_response_of_another_driver_is_unreachable():
    """A new pipeline's port may still be used by an old, healthy driver."""
    responses = {
        "b": {"error": "", "json": {"name": "a", "state": "running", "outputs": {}}},
        "c": {"error": "", "json": {"name": "c", "state": "running", "outputs": {}}},
        "d": {"error": "refused", "json": None},
    }
    found = pipeline_status(responses, {name: f"h:{name}" for name in "bcd"})
    assert [(each["name"], each["state"]) for each in found["pipelines"]] == [
        ("b", "unreachable"),
        ("c", "running"),
        ("d", "unreachable"),
    ]
    assert [each["text"] for each in found["problems"]] == [
        "pipeline b does not respond: its port is used by the driver of a",
        "pipeline d does not respond: refused",
    ]


def test_status_of_a_wrong_shape_is_a_pipeline_without_a_state():
    body = {"name": "b", "state": "starting", "failed_starts": "many", "outputs": {}}
    found = pipeline_status({"b": {"json": body}}, {"b": "h:1"})
    assert [each["state"] for each in found["pipelines"]] == ["unreachable"]
    assert "failed_starts: found 'many'; allowed: a number" in found["problems"][0]["text"]
