"""Brokers whose metadata differs from the controller's."""

from ansible_collections.metal.kafka.plugins.module_utils._kafka import views
from kafka_states import partition


def view(**partitions):
    return {name.replace("_", "-"): state for name, state in partitions.items()}


FRESH = view(a_0=(1, (1, 3)), a_1=(2, (1, 2, 3)))
STALE = view(a_0=(2, (1, 2, 3)), a_1=(2, (1, 2, 3)))


def test_a_broker_with_old_metadata_is_named_with_its_partitions():
    assert views.differences({1: FRESH, 2: STALE, 3: FRESH}, controller=1) == {2: ("a-0",)}


def test_equal_views_and_a_missing_controller_have_no_differences():
    assert views.differences({1: FRESH, 2: FRESH}, controller=1) == {}
    assert views.differences({1: FRESH, 2: STALE}, controller=3) == {}


def test_a_topic_that_one_broker_does_not_know_yet_does_not_count():
    assert views.differences({1: {**FRESH, "new-0": (1, (1,))}, 2: FRESH}, controller=1) == {}


def test_only_lasting_differences_count():
    assert views.lasting({2: ("a-0", "a-1"), 3: ("a-0",)}, {2: ("a-1", "b-0")}) == {2: ("a-1",)}


def test_partitions_are_those_of_the_view():
    (seen,) = views.as_seen([partition("a-0", (1, 2, 3))], FRESH)
    assert (seen.leader, seen.isr) == (1, (1, 3))
    (kept,) = views.as_seen([partition("b-0", (1, 2, 3))], FRESH)
    assert kept.isr == (1, 2, 3)


def test_a_response_is_parsed_without_topics_that_have_an_error():
    part = {"partition_index": 0, "leader_id": 3, "isr_nodes": [3, 1]}
    topics = [
        {"name": "a", "error_code": 0, "partitions": [part]},
        {"name": "b", "error_code": 3, "partitions": []},
    ]
    assert views.parse(topics) == {"a-0": (3, (1, 3))}
