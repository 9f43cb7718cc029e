"""Placement of replicas, and recovery of interrupted moves."""

import re
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import (
    Broker,
    Cluster,
    Partition,
)
from ansible_collections.metal.kafka.plugins.module_utils._replicas import reassignment
from ansible_collections.metal.kafka.plugins.module_utils._replicas.placement import (
    PlacementError,
    Spec,
    bytes_left,
    next_moves,
    parse_specs,
    plan,
)
from ansible_collections.metal.kafka.plugins.module_utils._replicas.throttles import ThrottleFile


def part(name, replicas, isr=None, leader=None, adding=(), removing=()):
    topic, _, number = name.rpartition("-")
    isr = replicas if isr is None else isr
    led = leader if leader is not None else (isr[0] if isr else -1)
    return Partition(topic, int(number), led, replicas, isr, adding, removing)


def cluster(*parts, racks=None, min_isr=1):
    """Three racks with two brokers each: 1 and 4 in a, 2 and 5 in b, 3 and 6 in c."""
    racks = racks or {1: "a", 2: "b", 3: "c", 4: "a", 5: "b", 6: "c"}
    return Cluster(
        id="test",
        controller=1,
        brokers=tuple(Broker(number, "host", 9092, rack) for number, rack in racks.items()),
        partitions=parts,
        min_isr={each.topic: min_isr for each in parts},
    )


def moved(found, *specs):
    return {move.partition.name: move.target for move in plan(found, specs)}


@pytest.mark.parametrize(
    ("replicas", "factor", "target"),
    [
        # New replicas go to racks without one, to the broker with the fewest replicas.
        ((1,), 2, (1, 2)),
        ((1,), 3, (1, 2, 3)),
        ((4, 5), 3, (4, 5, 3)),
        # More replicas than racks.
        ((1, 2, 3), 4, (1, 2, 3, 4)),
        # Fewer: replicas in the same rack are removed first, the first one is kept.
        ((1, 4, 2), 2, (1, 2)),
        ((4, 1, 2), 2, (4, 2)),
        ((1, 2, 3), 1, (1,)),
        ((1, 2, 3), 3, None),
    ],
)
def test_replicas_are_spread_over_racks_and_first_ones_are_kept(replicas, factor, target):
    found = moved(cluster(part("t-0", replicas)), Spec("t", factor))
    assert found == ({"t-0": target} if target else {})


def test_brokers_with_fewest_replicas_are_chosen():
    found = cluster(part("x-0", (2,)), part("x-1", (3,)), part("t-0", (1,)), part("t-1", (1,)))
    assert moved(found, Spec("t", 2)) == {"t-0": (1, 5), "t-1": (1, 6)}


def test_many_partitions_are_balanced_over_brokers_and_racks():
    many = cluster(*(part(f"t-{number}", (number % 6 + 1,)) for number in range(60)))
    targets = moved(many, Spec("t", 3)).values()
    held = [broker for target in targets for broker in target]
    assert {held.count(broker) for broker in range(1, 7)} == {30}
    racks = {1: "a", 2: "b", 3: "c", 4: "a", 5: "b", 6: "c"}
    assert all(len({racks[broker] for broker in target}) == 3 for target in targets)


def test_without_racks_only_the_load_counts():
    racks = dict.fromkeys((1, 2, 3))
    assert moved(cluster(part("t-0", (1,)), racks=racks), Spec("t", 3)) == {"t-0": (1, 2, 3)}


@pytest.mark.parametrize(
    ("isr", "leader", "target"),
    [
        # Broker 9 is not registered: its replica is removed first.
        ((1, 2), 1, (1, 2)),
        # The leader is kept, too.
        ((2,), 2, (1, 2)),
    ],
)
def test_replicas_on_unregistered_brokers_are_removed_first(isr, leader, target):
    found = cluster(part("t-0", (1, 9, 2), isr, leader))
    assert moved(found, Spec("t", 2)) == {"t-0": target}


def test_replica_out_of_sync_is_removed_before_one_in_sync():
    found = cluster(part("t-0", (1, 2, 3), (1, 3), 1))
    assert moved(found, Spec("t", 2)) == {"t-0": (1, 3)}


def test_explicit_placement_is_used():
    found = cluster(part("t-0", (1, 2)), part("t-1", (2, 3)))
    spec = Spec("t", 2, ((2, 1), (2, 3), (3, 1)))
    assert moved(found, spec) == {"t-0": (2, 1)}


def test_partitions_under_way_get_no_new_move():
    found = cluster(part("t-0", (1, 2, 3), (1, 2), adding=(3,)), part("t-1", (1, 2)))
    assert moved(found, Spec("t", 3)) == {"t-1": (1, 2, 6)}


def test_spec_without_a_factor_moves_nothing():
    assert moved(cluster(part("t-0", (1, 2))), Spec("t", 0)) == {}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Spec("x", 2), "topic x: does not exist"),
        (Spec("t", 7), "replication factor 7 is declared, 6 brokers are registered"),
        (Spec("t", 1), "replication factor 1 is below its min.insync.replicas 2: every write"),
        (
            Spec("t", 2, ((1, 9),)),
            "placement: found unregistered broker 9; allowed: 1, 2, 3, 4, 5, 6",
        ),
        (Spec("t", 2, ()), None),
    ],
)
def test_blocker_of_a_spec_is_reported(spec, message):
    found = cluster(part("t-0", (1, 2)), min_isr=2)
    if message is None:
        assert plan(found, [spec]) == []
        return
    with pytest.raises(PlacementError, match=message):
        plan(found, [spec])


def test_blockers_of_all_specs_are_reported_together():
    with pytest.raises(PlacementError) as refusal:
        plan(cluster(part("t-0", (1,))), [Spec("x", 1), Spec("t", 9), Spec("y", 1)])
    assert len(refusal.value.messages) == 3


def test_placement_for_too_few_partitions_is_an_error():
    with pytest.raises(PlacementError, match="placement is for 1 partitions, it has 2"):
        plan(cluster(part("t-0", (1,)), part("t-1", (1,))), [Spec("t", 1, ((1,),))])


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ({"__consumer_offsets": {"replication_factor": 3}}, "is internal to Kafka; set internal"),
        ({"t": {"placement": [[1, 2], [3]]}}, "placement needs 2 different brokers for each"),
        ({"t": {"placement": [[1, 1]]}}, "placement needs 2 different brokers for each"),
    ],
)
def test_invalid_parameters_are_an_error(topics, message):
    with pytest.raises(PlacementError, match=re.escape(message)):
        parse_specs(topics)


def test_parameters_are_converted_to_specs():
    assert parse_specs(
        {
            "__consumer_offsets": {"replication_factor": 3, "internal": True},
            "b": {"placement": [[1, 2], [2, 1]], "config": {}},
            "a": None,
        }
    ) == [
        Spec("__consumer_offsets", 3),
        Spec("a", 0),
        Spec("b", 2, ((1, 2), (2, 1))),
    ]


def test_number_of_moves_under_way_is_limited():
    moves = plan(cluster(*(part(f"t-{n}", (1,)) for n in range(5))), [Spec("t", 2)])
    assert [len(next_moves(moves, under_way, 3)) for under_way in (0, 2, 3, 9)] == [3, 1, 0, 0]


def test_bytes_left_are_the_missing_bytes_of_new_replicas():
    moves = plan(cluster(part("t-0", (1,))), [Spec("t", 2)])
    under_way_partitions = [part("t-1", (1, 3), (1,), adding=(3,))]
    sizes = {1: {"t-0": 100, "t-1": 50}, 3: {"t-1": 20}}
    assert bytes_left(moves, under_way_partitions, sizes) == 100 + 30
    assert bytes_left([], [part("t-1", (1, 3), (1,), adding=(3,))], {}) == 1


def test_thousand_topics_are_placed_quickly():
    parts = [part(f"t{n // 3}-{n % 3}", (n % 6 + 1,)) for n in range(3000)]
    specs = [Spec(f"t{n}", 3) for n in range(1000)]
    found = cluster(*parts)
    started = time.monotonic()
    assert len(plan(found, specs)) == 3000
    # It takes less than 0.5 s on an idle host; the limit only detects quadratic behaviour.
    assert time.monotonic() - started < 20


class Kafka:
    """A fake connection; moves end at the next read, ``failing_read`` is the read that fails."""

    def __init__(self, *parts, failing_read=99):
        self.parts = {each.name: each for each in parts}
        self.failing_read, self.reads = failing_read, 0
        self.limits, self.log, self.elected = set(), [], []
        self.timeout, self.deadline = 1, None

    def read_cluster(self):
        self.reads += 1
        if self.reads > self.failing_read:
            raise KeyboardInterrupt
        before = cluster(*self.parts.values())
        self.parts = {
            name: part(name, tuple(b for b in each.replicas if b not in each.removing))
            if each.adding or each.removing
            else each
            for name, each in self.parts.items()
        }
        return before

    def sizes(self, topics, found):
        return {}

    def set_throttles(self, desired, record):
        self.limits |= {*desired}
        self.log.append(
            ("throttle", {value for (kind, *_), value in desired.items() if kind == "broker"})
        )
        return []

    def remove_throttles(self, record, brokers):
        there = bool(self.limits)
        self.limits = set()
        self.log.append(("remove_throttles", there))
        return there

    def start(self, moves):
        for move in moves:
            old, new = move.partition.replicas, move.target
            union = (*new, *(broker for broker in old if broker not in new))
            self.parts[move.partition.name] = part(
                move.partition.name,
                union,
                old,
                adding=move.adding_replicas,
                removing=tuple(broker for broker in old if broker not in new),
            )
        self.log.append(("start", len(moves)))

    def elect(self, parts):
        self.elected += [each.name for each in parts]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(reassignment, "POLL_INTERVAL", 0)


def test_moves_are_batched_and_throttles_are_removed():
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)))
    found = reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (5, 2, 5))
    assert (found["done"], found["changed"]) == (True, True)
    assert len(found["steps"]) == 3
    assert {each.replicas for each in kafka.parts.values()} <= {(1, 2), (1, 5), (1, 3), (1, 6)}
    assert kafka.log[0] == ("throttle", {"5"})
    assert [entry for entry in kafka.log if entry[0] == "start"] == [("start", 2), ("start", 1)]
    assert kafka.log[-1] == ("remove_throttles", True)
    again = reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (5, 2, 5))
    assert (again["done"], again["changed"], again["steps"]) == (True, False, [])


@pytest.mark.parametrize("failing_read", range(1, 5))
def test_next_run_completes_an_interrupted_one(failing_read):
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)), failing_read=failing_read)
    with pytest.raises(KeyboardInterrupt):
        reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (5, 1, 5))
    kafka.failing_read = 999
    assert reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (5, 1, 5))["done"]
    assert kafka.limits == set()
    assert all(len(each.replicas) == 2 for each in kafka.parts.values())


def test_run_without_moves_removes_a_leftover_throttle():
    kafka = Kafka(part("t-0", (1, 2)))
    kafka.limits = {"t", 1}
    found = reassignment.run_moves(kafka, [Spec("t", 0)], ThrottleFile(""), (5, 1, 5))
    assert (found["done"], found["changed"], kafka.limits) == (True, True, set())


def test_without_a_rate_nothing_is_throttled():
    kafka = Kafka(part("t-0", (1,)))
    reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (0, 1, 5))
    assert "throttle" not in dict(kafka.log)


def test_new_first_replica_is_elected_at_the_end():
    kafka = Kafka(part("t-0", (1, 2)))
    placed = kafka.start

    def start(moves):
        placed(moves)
        # The old leader stays until the election.
        kafka.parts["t-0"] = part("t-0", (2, 1), (1, 2), leader=1)

    kafka.start = start
    reassignment.run_moves(kafka, [Spec("t", 2, ((2, 1),))], ThrottleFile(""), (0, 1, 5))
    assert kafka.elected == ["t-0"]


def test_unfinished_call_returns_the_bytes_left():
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)))
    found = reassignment.run_moves(kafka, [Spec("t", 2)], ThrottleFile(""), (5, 1, 0))
    assert (found["done"], found["changed"], found["remaining_partitions"]) == (False, True, 3)
    assert kafka.limits
