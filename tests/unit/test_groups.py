"""Resets and deletions of consumer groups, and their blockers."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.screens import groups_screen
from ansible_collections.metal.kafka.plugins.module_utils._common.units import UnitError
from ansible_collections.metal.kafka.plugins.module_utils._content.group_model import (
    Bounds,
    Commit,
    Group,
    GroupError,
    Member,
    Remove,
    Target,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.group_report import (
    difference,
    report,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.groups import (
    converge,
    parse_resets,
    parse_target,
)

NOW = 1_800_000_000_000
P0, P1, O0 = ("payments", 0), ("payments", 1), ("orders", 0)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("earliest", Target("earliest")),
        ("LATEST", Target("latest")),
        ("42", Target("offset", 42)),
        (0, Target("offset", 0)),
        ("2h ago", Target("time", NOW - 7_200_000)),
        ("1970-01-01T00:00:10Z", Target("time", 10_000)),
        ("1970-01-01T01:00:10+01:00", Target("time", 10_000)),
    ],
)
def test_targets_are_parsed(text, target):
    assert parse_target(text, NOW) == target


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("beginning", "found 'beginning'; allowed: earliest, latest"),
        ("-5", "found '-5'; allowed"),
        ("2026-03-01T12:00:00", "a time without its zone"),
        ("two hours ago", "is not a duration"),
    ],
)
def test_invalid_target_names_allowed_forms(text, message):
    with pytest.raises(UnitError, match=message):
        parse_target(text, NOW)


def reset(group="reports", to="earliest", topics=(), partitions=()):
    return {"group": group, "to": to, "topics": topics, "partitions": partitions}


class Kafka:
    """A fake cluster: offsets are 10 to 20 everywhere, the record of any time is at 15."""

    def __init__(self, *groups, bad=()):
        self.groups = {group.name: group for group in groups}
        self.bad = bad

    def read_groups(self, names):
        return dict(self.groups)

    def read_partitions(self, topics):
        return {name: n for name, n in (("payments", 2), ("orders", 1)) if name in topics}

    def read_bounds(self, keys, times):
        return Bounds(
            dict.fromkeys(keys, 10),
            dict.fromkeys(keys, 20),
            {(key, moment): 15 if moment < NOW else -1 for key, moment in times.items()},
        )

    def commit(self, steps):
        for step in steps:
            if step.group not in self.bad:
                old = self.groups[step.group]
                now = {**old.offsets, **step.after}
                self.groups[step.group] = Group(old.name, old.state, old.members, now)
        return {step.group: "no" for step in steps if step.group in self.bad}

    def delete_groups(self, names):
        for name in names:
            del self.groups[name]
        return {}


def reports(**offsets):
    return Group("reports", "Empty", (), {P0: 12, P1: 13, **offsets})


def apply_groups(kafka, *items, absent=(), dry=False):
    return converge(kafka, parse_resets(items, NOW), absent, dry)


@pytest.mark.parametrize(
    ("items", "after"),
    [
        ([reset()], {P0: 10, P1: 10}),
        ([reset(to="latest")], {P0: 20, P1: 20}),
        ([reset(to="1h ago")], {P0: 15, P1: 15}),
        # A time after the last record.
        ([reset(to="2100-01-01T00:00:00Z")], {P0: 20, P1: 20}),
        ([reset(to="17", topics=["payments"], partitions=[1])], {P1: 17}),
        ([reset(to="12", topics=["payments"], partitions=[0])], {}),
        # A topic without committed offsets.
        ([reset(topics=["orders"])], {O0: 10}),
        # The last reset wins.
        (
            [reset(topics=["payments"]), reset(to="latest", topics=["payments"], partitions=[1])],
            {P0: 10, P1: 20},
        ),
        ([reset(to="1h ago"), reset(to="latest", topics=["orders"])], {P0: 15, P1: 15, O0: 20}),
    ],
)
def test_reset_is_applied_once(items, after):
    kafka = Kafka(reports())
    steps = apply_groups(kafka, *items)
    assert [step.after for step in steps] == ([after] if after else [])
    assert apply_groups(kafka, *items) == []


def test_dry_run_changes_nothing():
    kafka = Kafka(reports())
    assert len(apply_groups(kafka, reset(), dry=True)) == 1
    assert kafka.groups["reports"] == reports()


BUSY = Group("busy", "Stable", (Member("app", "10.0.0.1"), Member("app", "10.0.0.2")), {P0: 1})


@pytest.mark.parametrize(
    ("items", "absent", "message"),
    [
        (
            [reset("busy")],
            [],
            "group busy: its offsets cannot be set: it is Stable with 2",
        ),
        (
            [],
            ["busy"],
            "busy: cannot be deleted: it is Stable with 2 members: app at 10.0.0.1",
        ),
        ([reset("report")], [], "group report: does not exist; did you mean reports?"),
        ([reset(topics=["x"])], [], "group reports: topic x does not exist"),
        ([reset(topics=["orders"], partitions=[1])], [], "topic orders has no partition 1"),
        ([reset()], ["reports"], "group reports: is declared under reset and under absent"),
        ([reset("fresh")], [], "group fresh: has no offsets; name the topics"),
        (
            [reset(to="21", topics=["payments"], partitions=[0])],
            [],
            "group reports: payments-0: found offset 21; allowed: 10 to 20",
        ),
    ],
)
def test_blockers_are_reported_and_nothing_is_changed(items, absent, message):
    kafka = Kafka(reports(), BUSY, Group("fresh", "Empty"))
    with pytest.raises(GroupError, match=message):
        apply_groups(kafka, *items, absent=absent)
    assert kafka.groups["reports"] == reports()
    assert len(kafka.groups) == 3


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([reset(to="never")], r"reset\[0\].to: found 'never'; allowed: earliest"),
        ([reset(to="5")], r"reset\[0\].to: found an offset; allowed: for named partitions"),
        ([reset(partitions=[1])], r"reset\[0\].partitions: found 0 topics; allowed: one topic"),
        (
            [reset(), reset(to="latest")],
            r"reset\[1\]: found a second reset of all of group",
        ),
    ],
)
def test_invalid_parameters_are_an_error(items, message):
    with pytest.raises(GroupError, match=message):
        parse_resets(items, NOW)


def test_groups_are_deleted_once():
    kafka = Kafka(reports(), BUSY)
    assert [str(step) for step in apply_groups(kafka, absent=["reports", "missing"])] == [
        "delete group reports with its offsets in 2 partitions"
    ]
    assert list(kafka.groups) == ["busy"]
    assert apply_groups(kafka, absent=["reports"]) == []


def test_next_run_completes_a_failed_one():
    other = Group("other", "Empty", (), {P0: 12})
    kafka = Kafka(reports(), other, bad=["reports"])
    with pytest.raises(GroupError, match=r"^group reports: payments-0 12 -> 10, .*: no$"):
        apply_groups(kafka, reset(), reset("other"))
    kafka.bad = ()
    assert [step.group for step in apply_groups(kafka, reset(), reset("other"))] == ["reports"]


def test_report_has_the_lag():
    bounds = Bounds({}, {P0: 20, P1: 20})
    gone = {("gone", 0): 5}
    found = report({"reports": reports(), "busy": BUSY}, bounds, detail=False)
    assert found["reports"] == {"state": "Empty", "members": [], "topics": ["payments"], "lag": 15}
    assert found["busy"]["members"][1] == {"client": "app", "host": "10.0.0.2"}
    detailed = report({"g": Group("g", "Empty", (), {P0: 30, **gone})}, bounds, detail=True)
    assert detailed["g"]["partitions"] == [
        {"topic": "gone", "partition": 0, "offset": 5, "end": None, "lag": None},
        {"topic": "payments", "partition": 0, "offset": 30, "end": 20, "lag": 0},
    ]


def test_difference_shows_offsets():
    assert difference([Commit("g", {P0: 1}, {P0: 2, P1: 3}), Remove("h", 4)]) == {
        "before": {"g": {"payments-0": 1}, "h": {"partitions": 4}},
        "after": {"g": {"payments-0": 2, "payments-1": 3}},
    }


def test_the_screen_leaves_out_groups_whose_lag_means_nothing():
    group = {"state": "Stable", "members": [], "topics": ["t"], "lag": 1}
    found = {"groups": {"shop": group, "schema-registry-1-0b86": group}, "steps": []}
    text = groups_screen(found, "^(schema-registry-1-.*)$")
    assert "schema-registry" not in text
    assert "Not listed: 1 group of" in text
    assert "schema-registry-1-0b86" in groups_screen(found)
