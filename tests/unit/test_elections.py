"""Plans of preferred and unclean elections."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._replicas.elections import (
    ElectionError,
    plan_preferred,
    plan_unclean,
    select_partitions,
)
from kafka_states import cluster, partition

AWAY = partition("a-0", isr=(2, 1), leader=2)
HOME = partition("a-1", isr=(1, 2, 3))
OUT = partition("b-0", isr=(2, 3), leader=2)
OFFLINE = partition("b-1", isr=(), leader=-1)
ALL = cluster(AWAY, HOME, OUT, OFFLINE)


def test_preferred_replicas_in_sync_are_elected():
    found = plan_preferred(ALL.partitions)
    assert [str(step) for step in found.steps] == ["a-0: leader 2 -> 1"]
    assert found.impossible == ("b-0: broker 1 is not in sync",)


@pytest.mark.parametrize(
    ("topics", "partitions", "names"),
    [
        ([], [], ["a-0", "a-1", "b-0", "b-1"]),
        (["a"], [], ["a-0", "a-1"]),
        (["a"], ["b-1"], ["a-0", "a-1", "b-1"]),
    ],
)
def test_partitions_are_chosen_by_topic_and_name(topics, partitions, names):
    assert [part.name for part in select_partitions(ALL, topics, partitions)] == names


def test_all_unknown_names_are_reported():
    with pytest.raises(ElectionError) as refusal:
        select_partitions(ALL, ["x"], ["b-11"])
    assert refusal.value.messages == [
        "topic x: does not exist",
        "partition b-11: does not exist; did you mean b-1?",
    ]


def test_unclean_election_is_for_confirmed_offline_partitions():
    found = plan_unclean([OFFLINE, HOME], ["b-1"], live=[2])
    assert [str(step) for step in found.steps] == [
        "b-1: unclean election of a replica that may lack records"
    ]
    assert plan_unclean([HOME], [], live=[1]).steps == ()


@pytest.mark.parametrize(
    ("confirmed", "live", "message"),
    [
        ([], [1], "partition b-1: an unclean election loses records; to confirm it, add"),
        (["b-1"], [7], "partition b-1: none of its brokers 1, 2, 3 is registered"),
    ],
)
def test_unconfirmed_or_impossible_unclean_election_is_an_error(confirmed, live, message):
    with pytest.raises(ElectionError, match=message):
        plan_unclean([OFFLINE], confirmed, live)
