import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.activity import signs


def test_a_quiet_cluster_gives_no_sign():
    groups = {"old": "Empty", "older": "Dead"}
    assert signs({"orders": 100}, {"orders": 100}, groups, 5) == []


def test_records_that_are_written_are_counted_by_topic():
    before, after = {"orders": 100, "idle": 7}, {"orders": 350, "idle": 7}
    assert signs(before, after, {}, 5) == ["250 records were written within 5 s: orders (250)"]


def test_many_topics_are_named_in_part():
    before = dict.fromkeys("abcde", 0)
    assert signs(before, dict.fromkeys("abcde", 1), {}, 2.5) == [
        "5 records were written within 2.5 s: a (1), b (1), c (1) and 2 more"
    ]


@pytest.mark.parametrize(
    "state",
    ["Stable", "PreparingRebalance", "COMPLETING_REBALANCE", "Assigning", "reconciling"],
)
def test_a_group_with_members_is_a_sign(state):
    assert signs({}, {}, {"billing": state}, 5) == ["1 consumer groups have members: billing"]


def test_offsets_of_kafka_s_own_topics_are_no_sign():
    assert signs({"__consumer_offsets": 1}, {"__consumer_offsets": 9}, {}, 5) == []


def test_what_watches_the_cluster_is_no_sign():
    ours = "kafka-metal-probe"
    assert signs({ours: 1}, {ours: 9}, {ours: "Stable"}, 5) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"new": 5}), ({"gone": 5}, {}), ({"made-anew": 5}, {"made-anew": 0})],
)
def test_topics_that_come_and_go_meanwhile_are_no_records(before, after):
    assert signs(before, after, {}, 5) == []
