import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.activity import activity_messages


def test_unused_cluster_has_no_signs():
    groups = {"old": "Empty", "older": "Dead"}
    assert activity_messages({"orders": 100}, {"orders": 100}, groups, 5) == []


def test_written_records_are_counted_by_topic():
    before, after = {"orders": 100, "idle": 7}, {"orders": 350, "idle": 7}
    assert activity_messages(before, after, {}, 5) == [
        "250 records were written within 5 s: orders (250)"
    ]


def test_message_names_at_most_three_topics():
    before = dict.fromkeys("abcde", 0)
    assert activity_messages(before, dict.fromkeys("abcde", 1), {}, 2.5) == [
        "5 records were written within 2.5 s: a (1), b (1), c (1) and 2 more"
    ]


@pytest.mark.parametrize(
    "state",
    ["Stable", "PreparingRebalance", "COMPLETING_REBALANCE", "Assigning", "reconciling"],
)
def test_group_with_members_is_a_sign(state):
    assert activity_messages({}, {}, {"billing": state}, 5) == [
        "1 consumer groups have members: billing"
    ]


def test_internal_topics_do_not_count():
    assert activity_messages({"__consumer_offsets": 1}, {"__consumer_offsets": 9}, {}, 5) == []


def test_probe_of_the_monitoring_does_not_count():
    probe = "kafka-metal-probe"
    assert activity_messages({probe: 1}, {probe: 9}, {probe: "Stable"}, 5) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"new": 5}), ({"gone": 5}, {}), ({"made-anew": 5}, {"made-anew": 0})],
)
def test_created_and_deleted_topics_do_not_count(before, after):
    assert activity_messages(before, after, {}, 5) == []
