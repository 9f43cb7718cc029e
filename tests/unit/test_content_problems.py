"""Topics and quotas that somebody changed by hand are problems; undeclared ones are not."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.quota_problems import (
    quota_problems,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.quotas import (
    DEFAULT,
    Entity,
    Specs,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems.arrangement import arrange
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import Value
from ansible_collections.metal.kafka.plugins.module_utils._problems.content_problems import (
    HARMFUL,
    MOST,
    RUNBOOK,
    TopicState,
    keys_to_read,
    shortened,
    topic_problems,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import (
    Problem,
    from_dict,
)

SPEC = {
    "partitions": 6,
    "replicas": 3,
    "config": {"max.message.bytes": "1048588", "cleanup.policy": "compact,delete"},
    "defaults": ["segment.ms"],
    "affects": ["pipeline-p"],
}
SET = {
    "max.message.bytes": Value("1048588", "INT"),
    "cleanup.policy": Value("delete, compact", "LIST"),
}
USERS = {"shop": [], "pipeline-p": ["pipeline-p"]}


def of_topic(partitions=6, replicas=3, **changed):
    """Return the problems of a topic as text and command; a key that is None is not set."""
    named = {key.replace("_", "."): value for key, value in changed.items()}
    config = {key: value for key, value in {**SET, **named}.items() if value is not None}
    found = topic_problems("payments", SPEC, TopicState(partitions, replicas, config))
    return [(each.text, each.help) for each in found]


def test_a_topic_as_declared_is_no_problem():
    assert of_topic() == []
    # Undeclared keys that harm no record, and replicas that a reassignment adds.
    assert of_topic(index_interval_bytes=Value("1"), replicas=4) == []


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (
            {"max_message_bytes": Value("1000", "INT")},
            "max.message.bytes is 1000, declared 1048588",
        ),
        ({"max_message_bytes": None}, "max.message.bytes is not set, declared 1048588"),
        (
            {"cleanup_policy": Value("delete", "LIST")},
            "cleanup.policy is delete, declared compact,delete",
        ),
        ({"segment_ms": Value("5", "LONG")}, "segment.ms is 5, declared as default"),
        ({"partitions": 5}, "it has 5 of 6 declared partitions"),
        ({"replicas": 2}, "a partition has 2 of 3 declared replicas"),
        (
            {"max_message_bytes": None, "replicas": 1},
            "a partition has 1 of 3 declared replicas; "
            "max.message.bytes is not set, declared 1048588",
        ),
    ],
)
def test_what_a_run_applies_again_names_both_values(state, text):
    assert of_topic(**state) == [(f"topic payments: {text}", "make topics")]


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({"retention_ms": Value("1", "LONG")}, "retention.ms 1 is not declared"),
        ({"min_insync_replicas": Value("4", "INT")}, "min.insync.replicas 4 is not declared"),
        (
            {"partitions": 12},
            "it has 12 partitions, declared 6; Kafka cannot remove partitions",
        ),
    ],
)
def test_what_no_run_changes_has_a_page(state, text):
    assert of_topic(**state) == [(f"topic payments: {text}", RUNBOOK)]


def test_a_deleted_topic_is_a_problem():
    (found,) = topic_problems("payments", SPEC, None)
    assert found.text == "topic payments is declared and does not exist"
    assert (found.level, found.where, found.help) == ("ticket", "kafka", "make topics")


def test_numbers_of_the_cluster_are_not_compared():
    spec = {**SPEC, "partitions": None, "replicas": None}
    assert topic_problems("payments", spec, TopicState(1, 1, SET)) == []


def test_keys_that_a_comparison_needs():
    assert keys_to_read({"a": SPEC}) == {*HARMFUL, *SPEC["config"], "segment.ms"}


def test_many_problems_are_counted():
    every = [Problem("ContentChanged", "kafka", f"topic {n}") for n in range(MOST + 3)]
    found = shortened(every)
    assert found[:MOST] == every[:MOST]
    assert [each.text for each in found[MOST:]] == ["3 more differences from the declaration"]
    assert shortened(every[:MOST]) == every[:MOST]


@pytest.mark.parametrize(
    ("entity", "values", "declared", "text", "where"),
    [
        (Entity("shop"), {"a": 1}, {"a": 1}, None, ""),
        (
            Entity("shop"), {"a": 1}, {"a": 5},
            "user shop: quota a is 1, declared 5", "kafka",
        ),
        (Entity("shop"), {}, {"a": 5}, "user shop: quota a is not set, declared 5", "kafka"),
        (
            Entity("shop"), {"a": 5, "b": 2}, {"a": 5},
            "user shop: quota b 2 is not declared", "kafka",
        ),
        (
            Entity("pipeline-p"), {"a": 1000}, {},
            "user pipeline-p: quota a 1000 is not declared", "pipeline-p",
        ),
        (
            Entity("shop", "c"), {"a": 1, "b": 0.5}, {},
            "user shop, client c: quota a 1, quota b 0.5 are not declared", "kafka",
        ),
        (Entity(DEFAULT), {"a": 1}, {}, "every other user: quota a 1 is not declared", "kafka"),
        (
            Entity(DEFAULT, "c"), {"a": 1}, {},
            "every other user, client c: quota a 1 is not declared", "kafka",
        ),
        (Entity(client=DEFAULT), {"a": 1}, {}, "every other client: quota a 1 is not declared",
         "kafka"),
        (Entity("undeclared"), {"a": 1}, {}, None, ""),
        (Entity(client="c"), {"a": 1}, {}, None, ""),
        (Entity(ip="10.0.0.1"), {"a": 1}, {}, None, ""),
    ],
)  # fmt: skip
def test_quotas_of_declared_users_are_compared(entity, values, declared, text, where):
    specs = Specs({entity: declared} if declared else {}, {})
    found = quota_problems({entity: values} if values else {}, specs, USERS)
    assert [(each.text, each.where) for each in found] == ([(text, where)] if text else [])


def causes(*problems):
    """Return the kinds of effects below the first problem."""
    (found, *_) = arrange(problems)
    return [each.kind for each in found.effects]


def test_a_changed_topic_explains_problems_of_its_pipelines_alone():
    (changed,) = topic_problems("payments", SPEC, None)
    changed = from_dict(changed.as_dict())
    assert causes(changed, Problem("PipelineFailing", "pipeline-p", "")) == ["PipelineFailing"]
    assert causes(changed, Problem("PipelineDown", "pipeline-p", "")) == ["PipelineDown"]
    lagging = Problem("PipelineLagging", "pipeline-p", "", read=False, severity="ticket")
    assert causes(changed, lagging) == ["PipelineLagging"]
    assert causes(Problem("PipelineFailing", "pipeline-q", ""), changed) == []
    # The probe has a topic of its own.
    assert causes(Problem("ClientsAffected", "kafka", ""), changed) == []


def test_a_quota_explains_problems_of_its_user():
    (own,) = quota_problems({Entity("pipeline-p"): {"a": 1}}, Specs({}, {}), USERS)
    assert causes(own, Problem("PipelineDown", "pipeline-p", "")) == ["PipelineDown"]
    (default,) = quota_problems({Entity(DEFAULT): {"a": 1}}, Specs({}, {}), USERS)
    effects = (Problem("ClientsAffected", "kafka", ""), Problem("PipelineDown", "pipeline-p", ""))
    assert sorted(causes(default, *effects)) == ["ClientsAffected", "PipelineDown"]


def test_an_interrupted_operation_explains_a_changed_topic():
    (changed,) = topic_problems("payments", SPEC, None)
    interrupted = Problem("OperationInterrupted", "", "interrupted")
    assert causes(changed, interrupted) == ["ContentChanged"]
