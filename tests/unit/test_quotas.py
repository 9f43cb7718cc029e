"""Plans of quota changes, and recovery from failed runs."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.quotas import (
    Alter,
    Entity,
    QuotaError,
    converge,
    difference,
    parse_specs,
    plan,
)

ALICE = Entity(user="alice")
P, C, R = "producer_byte_rate", "consumer_byte_rate", "request_percentage"


def specs(quotas=(), absent=(), users=()):
    return parse_specs({"quotas": quotas, "absent": absent, "absent_users": users})


@pytest.mark.parametrize(
    ("current", "desired", "steps"),
    [
        ({}, specs([{"user": "alice", "values": {P: 5}}]), [Alter(ALICE, {}, {P: 5.0})]),
        ({ALICE: {P: 5.0}}, specs([{"user": "alice", "values": {P: "5"}}]), []),
        (
            {ALICE: {P: 5.0, C: 6.0}},
            specs([{"user": "alice", "values": {P: 7}}]),
            [Alter(ALICE, {P: 5.0}, {P: 7.0})],
        ),
        ({ALICE: {P: 5.0}}, specs(), []),
        (
            {ALICE: {P: 5.0, C: 6.0}},
            specs(absent=[{"user": "alice", "keys": []}]),
            [Alter(ALICE, {P: 5.0, C: 6.0}, {}, (C, P))],
        ),
        (
            {ALICE: {P: 5.0, C: 6.0}},
            specs(absent=[{"user": "alice", "keys": [C, R]}]),
            [Alter(ALICE, {C: 6.0}, {}, (C,))],
        ),
        (
            {ALICE: {P: 5.0}},
            specs([{"user": "alice", "values": {R: 50}}], [{"user": "alice", "keys": [P]}]),
            [Alter(ALICE, {P: 5.0}, {R: 50.0}, (P,))],
        ),
        ({}, specs(absent=[{"user": "alice"}], users=["bob"]), []),
        (
            {ALICE: {P: 5.0}, Entity("alice", "x"): {C: 1.0}, Entity("bob"): {P: 1.0}},
            specs(users=["alice"]),
            [
                Alter(ALICE, {P: 5.0}, {}, (P,)),
                Alter(Entity("alice", "x"), {C: 1.0}, {}, (C,)),
            ],
        ),
    ],
)
def test_plan_has_the_steps_to_the_desired_state(current, desired, steps):
    assert plan(current, desired) == steps


@pytest.mark.parametrize(
    ("quotas", "absent", "message"),
    [
        ([{"values": {P: 1}}], [], "a quota has no entity; allowed: user, client"),
        ([{"ip": "1.1.1.1", "user": "a", "values": {}}], [], "an ip cannot be combined"),
        ([{"user": "a", "values": {"rate": 1}}], [], "quota of user a: unknown key rate; allowed"),
        ([{"ip": "*", "values": {P: 1}}], [], "quota of every other ip: unknown key producer"),
        ([{"user": "a", "values": {P: "x"}}], [], "quota of user a: producer_byte_rate: 'x' is no"),
        ([{"user": "a", "values": {P: 1}}] * 2, [], "quota of user a: is declared twice"),
        (
            [{"user": "a", "values": {P: 1}}],
            [{"user": "a", "keys": []}],
            "quota of user a: producer_byte_rate is declared and under absent",
        ),
    ],
)
def test_errors_name_entity_and_reason(quotas, absent, message):
    with pytest.raises(QuotaError, match=message):
        specs(quotas, absent)


class Kafka:
    """A fake cluster; rejects ``bad`` users, in validation or only in the change."""

    def __init__(self, *, bad=(), late_bad=()):
        self.quotas = {}
        self.bad, self.late_bad = bad, late_bad
        self.done = []

    def read_quotas(self):
        return {entity: dict(values) for entity, values in self.quotas.items()}

    def alter_quotas(self, steps, dry):
        refused = {}
        for step in steps:
            if step.entity.user in (self.bad if dry else (*self.bad, *self.late_bad)):
                refused[step.entity] = "no"
            elif not dry:
                self.done.append(step.entity)
                now = {**self.quotas.get(step.entity, {}), **step.values}
                self.quotas[step.entity] = {
                    key: value for key, value in now.items() if key not in step.removed
                }
        return refused


TWO = [{"user": name, "values": {P: 1}} for name in ("alice", "bob")]


def test_second_run_changes_nothing():
    kafka = Kafka()
    assert len(converge(kafka, specs(TWO), dry=False)) == 2
    assert converge(kafka, specs(TWO), dry=False) == []
    gone = specs(absent=[{"user": "alice"}])
    assert [str(step) for step in converge(kafka, gone, dry=False)] == [
        "quota of user alice: producer_byte_rate 1 -> (none)"
    ]


@pytest.mark.parametrize("dry", [True, False])
def test_one_rejected_spec_prevents_all_changes(dry):
    kafka = Kafka(bad=["bob"])
    with pytest.raises(QuotaError, match=r"^quota of user bob: .* -> 1: no$"):
        converge(kafka, specs(TWO), dry)
    assert kafka.done == []


def test_a_refused_step_can_be_reported_with_all_others():
    refused = []
    assert len(converge(Kafka(bad=["bob"]), specs(TWO), True, refused)) == 2
    assert refused == ["quota of user bob: producer_byte_rate (none) -> 1: no"]


def test_next_run_completes_a_failed_one():
    kafka = Kafka(late_bad=["alice"])
    with pytest.raises(QuotaError, match="user alice"):
        converge(kafka, specs(TWO), dry=False)
    kafka.late_bad = ()
    assert [step.entity.user for step in converge(kafka, specs(TWO), dry=False)] == ["alice"]


def test_conflict_with_another_client_ends_with_an_error():
    kafka = Kafka()
    kafka.alter_quotas = lambda steps, dry: {}
    with pytest.raises(QuotaError, match="was applied but is not in effect"):
        converge(kafka, specs(TWO), dry=False)


def test_difference_uses_short_names():
    step = Alter(Entity(user="*", client="x"), {P: 1.5}, {P: 2.0}, ())
    assert str(step) == "quota of every other user, client x: producer_byte_rate 1.5 -> 2"
    assert difference([step]) == {
        "before": {"every other user, client x": {P: 1.5}},
        "after": {"every other user, client x": {P: 2.0}},
    }
