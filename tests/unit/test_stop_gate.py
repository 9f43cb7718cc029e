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
def test_broker_may_stop_if_min_isr_holds_without_it(isr, replicas, min_isr):
    state = cluster(partition("a-0", isr, replicas), min_isr=min_isr)
    decision = before_stop(state, 1)
    assert (decision.safe, decision.unprotected) == (True, ())


def test_stop_below_min_isr_is_blocked():
    state = cluster(partition("a-0", (1, 2, 3)), partition("a-1", (1, 2)))
    assert blockers(state) == [
        "a-1 would have 1 replicas in sync without broker 1, its min.insync.replicas is 2"
    ]
    assert blockers(state, 3) == []


def test_lagging_replica_needed_for_min_isr_blocks_its_broker():
    state = cluster(partition("a-0", (2,)))
    assert blockers(state) == [
        "a-0 has 1 replicas in sync, its min.insync.replicas is 2, "
        "and broker 1 may be the first to catch up"
    ]


def test_partitions_on_other_brokers_do_not_block():
    state = cluster(partition("a-0", (2,), replicas=(2, 3, 4)), brokers=(1, 2, 3, 4))
    assert blockers(state, 1) == []


@pytest.mark.parametrize(
    ("isr", "replicas", "min_isr"), [((1,), (1,), 1), ((1, 2), (1, 2), 2), ((1,), (1,), 2)]
)
def test_unprotected_partitions_are_reported_and_do_not_block(isr, replicas, min_isr):
    decision = before_stop(cluster(partition("a-0", isr, replicas), min_isr=min_isr), 1)
    assert (decision.safe, decision.unprotected) == (True, ("a-0",))


def test_unprotected_partitions_on_other_brokers_are_not_reported():
    decision = before_stop(cluster(partition("a-0", (2,), replicas=(2,)), min_isr=1), 1)
    assert (decision.safe, decision.unprotected) == (True, ())


def test_last_replica_in_sync_blocks_the_stop():
    state = cluster(partition("a-0", (1,), replicas=(1, 2)))
    assert blockers(state) == ["a-0 would have no replica in sync without broker 1"]


def test_dead_broker_in_isr_does_not_count():
    state = cluster(partition("a-0", (1, 2, 3)), unresponsive={3: "Connection refused"})
    assert blockers(state, 1) == [
        "a-0 would have 1 replicas in sync without broker 1, its min.insync.replicas is 2"
    ]


def test_hanging_broker_may_be_stopped():
    state = cluster(partition("a-0", (1, 2, 3)), unresponsive={3: "no response within 2 s"})
    assert blockers(state, 3) == []


def test_unregistered_broker_may_be_stopped():
    state = cluster(partition("a-0", (2,)), brokers=(2, 3))
    assert before_stop(state, 1).safe


def test_offline_partition_blocks_every_broker():
    state = cluster(partition("a-0", (), replicas=(2, 3)), min_isr=1)
    assert blockers(state) == ["a-0 is offline: none of its replicas 2, 3 leads"]


def test_offline_partition_with_one_replica_blocks_no_broker():
    lost = cluster(partition("a-0", (2,), replicas=(2,), leader=-1), min_isr=1)
    assert blockers(lost, 1) == []
    assert blockers(lost, 2) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"reassignments": ("a-0", "a-1")}, "partitions are being reassigned: a-0, a-1"),
        ({"controller": -1}, "the cluster has no controller to elect new leaders"),
        ({"unread": ("x is unknown",)}, "x is unknown"),
    ],
)
def test_reassignment_or_missing_controller_blocks_every_broker(more, message):
    assert blockers(cluster(partition("a-0", (1, 2, 3)), **more)) == [message]


def test_adding_replica_does_not_count():
    moving = partition("a-0", (1, 2), replicas=(3, 1, 2), adding=(3,))
    decision = before_stop(cluster(moving), 1)
    assert decision.unprotected == ("a-0",)


def test_brokers_without_common_partitions_may_stop_together():
    state = cluster(
        partition("a-0", (1, 3, 5), (1, 3, 5)),
        partition("a-1", (2, 4, 6), (2, 4, 6)),
        brokers=range(1, 7),
    )
    assert before_stop(state, [1, 2]).safe


def test_brokers_with_a_common_partition_block_each_other():
    decision = before_stop(cluster(partition("a-0", (1, 2, 3))), [1, 2])
    assert decision.blockers == (
        "a-0 would have 1 replicas in sync without brokers 1, 2, its min.insync.replicas is 2",
    )
