"""Elections: which are of use, and which need a name said twice."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._replicas.elections import (
    ElectionError,
    chosen,
    plan_preferred,
    plan_unclean,
)
from kafka_states import cluster, partition

AWAY = partition("a-0", isr=(2, 1), leader=2)
HOME = partition("a-1", isr=(1, 2, 3))
OUT = partition("b-0", isr=(2, 3), leader=2)
OFFLINE = partition("b-1", isr=(), leader=-1)
ALL = cluster(AWAY, HOME, OUT, OFFLINE)


def test_first_replicas_lead_again_where_they_can():
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
    assert [part.name for part in chosen(ALL, topics, partitions)] == names


def test_unknown_names_are_told_all_at_once():
    with pytest.raises(ElectionError) as refusal:
        chosen(ALL, ["x"], ["b-11"])
    assert refusal.value.messages == [
        "topic x: there is none",
        "partition b-11: there is none; did you mean b-1?",
    ]


def test_an_unclean_election_is_for_confirmed_partitions_that_nobody_serves():
    found = plan_unclean([OFFLINE, HOME], ["b-1"], live=[2])
    assert [str(step) for step in found.steps] == ["b-1: a replica that may lack records leads"]
    assert plan_unclean([HOME], [], live=[1]).steps == ()


@pytest.mark.parametrize(
    ("confirmed", "live", "message"),
    [
        ([], [1], "partition b-1: an unclean election loses records; it is done once its name"),
        (["b-1"], [7], "partition b-1: none of its brokers 1, 2, 3 is registered"),
    ],
)
def test_an_unclean_election_that_must_not_be_is_refused(confirmed, live, message):
    with pytest.raises(ElectionError, match=message):
        plan_unclean([OFFLINE], confirmed, live)
