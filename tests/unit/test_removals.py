"""Applied content that is no longer declared: removed, kept or rejected."""

import contextlib
import shlex

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.metal.kafka.plugins.module_utils._common.errors import SpecError
from ansible_collections.metal.kafka.plugins.module_utils._content import (
    acls,
    applied_state,
    quotas,
    removals,
    resources,
    topic_changes,
    topic_model,
    topics,
    user_model,
    users,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.applied_state import (
    Permission,
    RemovalError,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.scram import Key
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import Value

YES = Permission()
READ = acls.Acl("User:shop", "topic", "payments", "read")
WRITE = acls.Acl("User:shop", "topic", "payments", "write")
MANUAL = acls.Acl("User:mallory", "topic", "payments", "all")


def test_undeclared_key_returns_to_the_default():
    desired = [topic_model.Spec("orders", config={"retention.ms": "5", "min.insync.replicas": "2"})]
    state = {"orders": ["cleanup.policy", "min.insync.replicas", "retention.ms"]}
    specs, left, kept = removals.with_topic_removals(desired, state, YES)
    assert specs[0].defaults == {"cleanup.policy"}
    assert left == {"orders": ["min.insync.replicas", "retention.ms"]}
    assert kept == []


def test_key_set_by_hand_is_reported_and_kept():
    compact = Value("compact", "LIST")
    current = topic_model.Topic("orders", 3, frozenset({3}), {"cleanup.policy": compact})
    desired = topic_model.Spec("orders", config={"retention.ms": "5"})
    (spec,), _, _ = removals.with_topic_removals([desired], {"orders": ["retention.ms"]}, YES)
    assert topics.unmanaged_config(current, spec) == {"cleanup.policy": "compact"}
    assert [str(step) for step in topics.plan(current, spec)] == [
        "orders: retention.ms (default) -> 5"
    ]


def test_null_resets_any_key_to_the_default():
    current = topic_model.Topic("orders", 3, frozenset({3}), {"flush.ms": Value("7", "LONG")})
    (spec,) = topics.parse_specs({"orders": {"config": {"flush.ms": None, "segment.ms": None}}})
    (step,) = topics.plan(current, spec)
    assert str(step) == "orders: flush.ms 7 -> (default)"
    assert topic_changes.difference([step])["after"] == {
        "orders": {"config": {"flush.ms": "(default)"}}
    }


def test_undeclared_topic_is_reported_and_kept():
    specs, left, kept = removals.with_topic_removals([], {"old": ["retention.ms"]}, YES)
    assert specs == []
    assert left == {"old": ["retention.ms"]}
    assert len(kept) == 1
    assert kept[0].startswith("topic old: no longer declared, kept with its records")


def test_a_topic_that_the_run_deletes_is_not_reported_as_kept():
    state = {"old": ["retention.ms"], "older": []}
    _, _, kept = removals.with_topic_removals([], state, YES, ["old"])
    assert [each.partition(":")[0] for each in kept] == []


def test_only_acls_of_a_lost_role_are_removed():
    state = [acls.acl_fields(READ), acls.acl_fields(WRITE)]
    desired, left, _ = removals.with_acl_removals(acls.Specs(frozenset({READ})), state, YES)
    steps = acls.plan([READ, WRITE, MANUAL], desired)
    assert [str(step) for step in steps] == ["remove: User:shop may write topic payments"]
    assert left == [acls.acl_fields(READ)]


def test_undeclared_user_loses_its_credential():
    desired, left, _ = removals.with_user_removals(
        user_model.Specs((user_model.Spec("shop"), user_model.Spec("audit"))),
        {"shop": ["SCRAM-SHA-512"], "audit": ["SCRAM-SHA-512"], "gone": ["SCRAM-SHA-512"]},
        YES,
    )
    current = {
        "shop": {"SCRAM-SHA-512": 8192},
        "gone": {"SCRAM-SHA-512": 8192},
        "by-hand": {"SCRAM-SHA-512": 8192},
        "audit": {"SCRAM-SHA-512": 8192},
    }
    outcome = users.plan(current, desired, {})
    assert outcome.steps == (user_model.Remove(Key("gone", "SCRAM-SHA-512")),)
    assert sorted(left) == ["audit", "shop"]


def test_undeclared_quota_key_is_removed():
    shop = quotas.Entity(user="shop")
    state = [{"user": "shop", "keys": ["consumer_byte_rate", "producer_byte_rate"]}]
    desired, left, _ = removals.with_quota_removals(
        quotas.Specs({shop: {"producer_byte_rate": 1.0}}, {}), state, YES
    )
    (step,) = quotas.plan({shop: {"producer_byte_rate": 1.0, "consumer_byte_rate": 2.0}}, desired)
    assert str(step) == "quota of user shop: consumer_byte_rate 2 -> (none)"
    assert left == [{"user": "shop", "client": "", "ip": "", "keys": ["producer_byte_rate"]}]


def test_limited_run_removes_nothing_and_reports_it():
    gone, kept = applied_state.select_removals("users", "abc", ["a"], Permission(limited=True))
    assert not gone
    assert kept == ["users: no longer declared, kept in a run with --limit: a"]


def test_undefined_variable_prevents_the_removal():
    lost = Permission(missing=frozenset({"kafka_content_acls"}))
    with pytest.raises(RemovalError, match="does not define kafka_content_acls any more"):
        applied_state.select_removals("acls", "abc", ["a"], lost)
    assert applied_state.select_removals("users", "abc", ["a"], lost) == ({"a"}, [])


def test_removal_of_more_than_half_needs_a_confirmation():
    assert applied_state.select_removals("users", "abcd", ["a", "b"], YES)[0] == {"a", "b"}
    with pytest.raises(RemovalError, match=r"3 of 4 applied before .*confirm the removal"):
        applied_state.select_removals("users", "abcd", ["a", "b", "c"], YES)
    confirmed = Permission(confirmed=frozenset({"users"}))
    assert applied_state.select_removals("users", "abcd", "abc", confirmed)[0] == {"a", "b", "c"}


def test_newest_valid_state_is_used():
    old, new = {"number": 1, "content": {"users": {}}}, {"number": 2, "content": {}}
    assert applied_state.newest([old, {}, new, {"number": "9"}, None]) == new
    assert applied_state.newest([]) == {}


def test_unchanged_state_keeps_its_number():
    names = ["kafka_content_topics", "ansible_host"]
    first = applied_state.state_after({}, {"topics": {"a": ["k"]}}, names)
    assert first["number"] == 1
    assert applied_state.state_after(first, {"topics": {"a": ["k"]}}, names) == first
    second = applied_state.state_after(first, {"users": {}}, names)
    assert second["number"] == 2
    assert second["content"] == {"topics": {"a": ["k"]}, "users": {}}


def test_variable_is_missing_if_it_was_defined_before():
    last = applied_state.state_after({}, {}, ["kafka_content_topics", "kafka_content_users"])
    assert applied_state.undefined_variables(last, ["kafka_content_topics"]) == [
        "kafka_content_users"
    ]
    assert applied_state.undefined_variables({}, []) == []


class OneUser(contextlib.AbstractContextManager):
    """A fake cluster with one earlier declared user, its two ACLs and its quota."""

    def __init__(self, *_):
        self.listener = self.deadline = None

    def __exit__(self, *_):
        return None

    def read_users(self):
        return {"shop": {"SCRAM-SHA-512": 8192}}

    def read_acls(self):
        return {READ, WRITE}

    def read_quotas(self):
        return {quotas.Entity(user="shop"): {"producer_byte_rate": 1.0}}

    def alter_quotas(self, steps, dry):
        assert dry
        return {}


APPLIED = {
    "users": {"shop": ["SCRAM-SHA-512"]},
    "acls": [acls.acl_fields(READ), acls.acl_fields(WRITE)],
    "quotas": [{"user": "shop", "keys": ["producer_byte_rate"]}],
}


@pytest.mark.parametrize("missing", [[], ["kafka_content_users"]], ids=["empty", "not defined"])
@pytest.mark.parametrize("confirmed", [[], ["users"], ["acls"], ["quotas", "users"]])
def test_confirmation_in_the_error_is_sufficient(monkeypatch, missing, confirmed):
    """The only user is removed from the declarations, with its ACLs and quota."""
    monkeypatch.setattr(resources, "AllContentConnection", OneUser)

    def run(**removal):
        parameters = {}
        for kind, state in APPLIED.items():
            validator = ArgumentSpecValidator(resources.KINDS[kind].arguments)
            given = validator.validate({"applied": state, "removal": removal})
            assert not given.error_messages
            parameters[kind] = {**given.validated_parameters, "client_config": {}}
        found = resources.apply(["kafka1:9092"], {}, 1, parameters, True)
        return [step for each in found.values() for step in each["steps"]]

    with pytest.raises(SpecError) as refused:
        run(missing=missing, confirmed=confirmed)
    *_, last = refused.value.messages
    # Parsed like a shell and then Ansible do: ARGS="-e '{variable: [kinds]}'".
    (_, value) = shlex.split(
        shlex.split(last.removeprefix("to confirm: "))[0].removeprefix("ARGS=")
    )
    steps = run(confirmed=yaml.safe_load(value)["kafka_content_confirm_removal"])
    assert len(steps) == 4


def test_one_confirmation_covers_removals_and_deletions_of_topics(monkeypatch):
    class Topics(OneUser):
        def read_topics(self, names, keys):
            return {name: topic_model.Topic(name, 3, frozenset({1})) for name in ("old", "older")}

    monkeypatch.setattr(resources, "AllContentConnection", Topics)

    def refused(confirmed=(), deleted=()):
        given = {
            "users": {"applied": APPLIED["users"]},
            "topics": {"absent": ["old", "older"], "confirm_delete": [*deleted]},
        }
        parameters = {}
        for kind, arguments in given.items():
            validator = ArgumentSpecValidator(resources.KINDS[kind].arguments)
            whole = validator.validate({**arguments, "removal": {"confirmed": [*confirmed]}})
            parameters[kind] = {**whole.validated_parameters, "client_config": {}}
        with pytest.raises(SpecError) as error:
            resources.apply(["kafka1:9092"], {}, 1, parameters, True)
        hints = [each for each in error.value.messages if each.startswith("to confirm: ")]
        assert hints == error.value.messages[-1:]
        return hints[0]

    every = "{kafka_content_confirm_removal: [users], kafka_content_confirm_delete: [old, older]}"
    assert all(every in refused(*given) for given in ((), (["users"],), ([], ["old"])))
    pipelines = refused(["users", "pipelines"], ["old"])
    assert pipelines.endswith("kafka_content_confirm_delete: [old, older], "
                              "pipeline_confirm_removal: true}'\"")  # fmt: skip


def test_a_confirmation_has_the_name_of_any_topic():
    names = ["010", "1.50", "12", "1_000", "-", ".inf", "No", "a.B-c_1", "nothing", "null", "true"]
    hint = applied_state.confirmation([], names)
    (arguments,) = shlex.split(hint.removeprefix("to confirm: "))
    _, given = shlex.split(arguments.removeprefix("ARGS="))
    assert yaml.safe_load(given) == {"kafka_content_confirm_delete": sorted(names)}
    assert "a.B-c_1, nothing," in hint


def test_pipelines_have_their_own_confirmation():
    assert applied_state.confirmation({"acls", "users", "pipelines"}) == (
        "to confirm: ARGS=\"-e '{kafka_content_confirm_removal: [users, acls], "
        "pipeline_confirm_removal: true}'\""
    )
