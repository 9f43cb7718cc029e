import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.stop_gate import before_stop
from kafka_states import cluster, partition


def blockers(state, broker=1):
    return list(before_stop(state, broker).blockers)


@pytest.mark.parametrize(
    ("isr", "replicas", "min_isr"),
    [
        ((1, 2, 3), (1, 2, 3), 2),
        ((1, 2), (1, 2), 1),
        ((2, 3), (1, 2, 3), 2),
        ((1, 2, 3, 4), (1, 2, 3, 4), 3),
    ],
)
def test_a_broker_may_stop_when_min_isr_holds_without_it(isr, replicas, min_isr):
    state = cluster(partition("a-0", isr, replicas), min_isr=min_isr)
    decision = before_stop(state, 1)
    assert (decision.safe, decision.unprotected) == (True, ())


def test_a_broker_must_stay_when_a_partition_would_fall_under_min_isr():
    state = cluster(partition("a-0", (1, 2, 3)), partition("a-1", (1, 2)))
    assert blockers(state) == [
        "a-1 would have 1 replicas in sync without broker 1, its min.insync.replicas is 2"
    ]
    assert blockers(state, 3) == []


def test_a_broker_that_catches_up_must_stay_while_writers_wait_for_it():
    state = cluster(partition("a-0", (2,)))
    assert blockers(state) == [
        "a-0 has 1 replicas in sync, its min.insync.replicas is 2, "
        "and broker 1 may be the first to catch up"
    ]


def test_partitions_of_other_brokers_do_not_hold_a_broker():
    state = cluster(partition("a-0", (2,), replicas=(2, 3, 4)), brokers=(1, 2, 3, 4))
    assert blockers(state, 1) == []


@pytest.mark.parametrize(
    ("isr", "replicas", "min_isr"), [((1,), (1,), 1), ((1, 2), (1, 2), 2), ((1,), (1,), 2)]
)
def test_what_no_order_can_protect_is_named_and_does_not_block(isr, replicas, min_isr):
    decision = before_stop(cluster(partition("a-0", isr, replicas), min_isr=min_isr), 1)
    assert (decision.safe, decision.unprotected) == (True, ("a-0",))


def test_unprotected_partitions_of_other_brokers_are_not_named():
    decision = before_stop(cluster(partition("a-0", (2,), replicas=(2,)), min_isr=1), 1)
    assert (decision.safe, decision.unprotected) == (True, ())


def test_the_last_copy_in_sync_must_stay_until_a_second_has_caught_up():
    state = cluster(partition("a-0", (1,), replicas=(1, 2)))
    assert blockers(state) == ["a-0 would have no replica in sync without broker 1"]


def test_a_dead_broker_that_every_isr_still_names_does_not_count():
    state = cluster(partition("a-0", (1, 2, 3)), unresponsive={3: "Connection refused"})
    assert blockers(state, 1) == [
        "a-0 would have 1 replicas in sync without broker 1, its min.insync.replicas is 2"
    ]


def test_a_broker_that_hangs_may_be_stopped():
    state = cluster(partition("a-0", (1, 2, 3)), unresponsive={3: "no answer within 2 s"})
    assert blockers(state, 3) == []


def test_a_broker_that_is_not_registered_takes_nothing_away():
    state = cluster(partition("a-0", (2,)), brokers=(2, 3))
    assert before_stop(state, 1).safe


def test_an_offline_partition_holds_every_broker():
    state = cluster(partition("a-0", (), replicas=(2, 3)), min_isr=1)
    assert blockers(state) == ["a-0 is offline: none of its replicas 2, 3 leads"]


def test_an_offline_partition_with_one_copy_holds_nobody():
    lost = cluster(partition("a-0", (2,), replicas=(2,), leader=-1), min_isr=1)
    assert blockers(lost, 1) == []
    assert blockers(lost, 2) == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"reassignments": ("a-0", "a-1")}, "partitions are being reassigned: a-0, a-1"),
        ({"controller": -1}, "the cluster has no controller, nobody would elect new leaders"),
        ({"unread": ("x is unknown",)}, "x is unknown"),
    ],
)
def test_a_cluster_at_work_or_without_a_head_holds_every_broker(more, sentence):
    assert blockers(cluster(partition("a-0", (1, 2, 3)), **more)) == [sentence]


def test_a_replica_that_is_still_being_filled_spares_nobody():
    moving = partition("a-0", (1, 2), replicas=(3, 1, 2), adding=(3,))
    decision = before_stop(cluster(moving), 1)
    assert decision.unprotected == ("a-0",)


def test_brokers_that_share_no_partition_may_stop_together():
    state = cluster(
        partition("a-0", (1, 3, 5), (1, 3, 5)),
        partition("a-1", (2, 4, 6), (2, 4, 6)),
        brokers=range(1, 7),
    )
    assert before_stop(state, [1, 2]).safe


def test_brokers_that_share_a_partition_must_not_stop_together():
    decision = before_stop(cluster(partition("a-0", (1, 2, 3))), [1, 2])
    assert decision.blockers == (
        "a-0 would have 1 replicas in sync without brokers 1, 2, its min.insync.replicas is 2",
    )
