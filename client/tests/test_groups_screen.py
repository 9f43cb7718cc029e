"""The screen of ``make groups``."""

from kafka_metal_client import groups
from kafka_metal_client.tables import Paint

IDLE = {"state": "Empty", "members": [], "topics": ["payments"], "lag": 12_000}
BUSY = {
    "state": "Stable",
    "members": [{"client": "app-1", "host": "10.0.0.7"}],
    "topics": [],
    "lag": 0,
}


def shown(found):
    return groups.render(found, Paint(False))


def test_each_group_has_a_line_with_lag():
    text = shown({"groups": {"reports": IDLE, "shop": BUSY}, "steps": []})
    lines = [line.split() for line in text.splitlines()]
    assert lines == [
        ["group", "state", "members", "lag", "topics"],
        ["reports", "Empty", "0", "12,000", "payments"],
        ["shop", "Stable", "1", "0", "-"],
    ]


def test_single_group_has_members_and_partitions():
    part = {"topic": "payments", "partition": 0, "offset": 5, "end": 9, "lag": 4}
    text = shown({"groups": {"shop": {**BUSY, "partitions": [part]}}})
    assert "member app-1 on 10.0.0.7" in text
    assert text.splitlines()[-1].split() == ["payments", "0", "5", "9", "4"]


def test_steps_come_first_and_dry_run_is_marked():
    step = "group reports: payments-0 17 -> 0"
    found = {"groups": {"reports": IDLE}, "steps": [step]}
    assert shown(found).splitlines()[:2] == ["Done:", f"  {step}"]
    assert shown({**found, "dry": True}).startswith("Would be done:")


def test_cluster_without_groups_has_a_message():
    assert shown({"groups": {}, "steps": []}) == "There are no consumer groups.\n"


def test_groups_that_are_not_listed_are_counted():
    text = shown({"groups": {"shop": BUSY}, "steps": [], "not_listed": 2})
    assert text.endswith("Not listed: 2 groups of the platform's services. G=NAME shows one.\n")
