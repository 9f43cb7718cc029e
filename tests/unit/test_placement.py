"""Where replicas go when a topic gets more, fewer or others; and moves that are interrupted."""

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
    plan,
    portion,
    specs_of,
)
from ansible_collections.metal.kafka.plugins.module_utils._replicas.throttles import Record


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
        # Fewer: those that share a rack go first, the first one stays.
        ((1, 4, 2), 2, (1, 2)),
        ((4, 1, 2), 2, (4, 2)),
        ((1, 2, 3), 1, (1,)),
        ((1, 2, 3), 3, None),
    ],
)
def test_replicas_are_spread_over_racks_and_first_ones_stay(replicas, factor, target):
    found = moved(cluster(part("t-0", replicas)), Spec("t", factor))
    assert found == ({"t-0": target} if target else {})


def test_busy_brokers_get_no_more():
    found = cluster(part("x-0", (2,)), part("x-1", (3,)), part("t-0", (1,)), part("t-1", (1,)))
    assert moved(found, Spec("t", 2)) == {"t-0": (1, 5), "t-1": (1, 6)}


def test_of_many_partitions_every_broker_gets_its_share_and_no_rack_two_copies():
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
        # Broker 9 is gone: its replica goes first.
        ((1, 2), 1, (1, 2)),
        # The leader stays although another is first.
        ((2,), 2, (1, 2)),
    ],
)
def test_of_too_many_replicas_the_lost_ones_go_first(isr, leader, target):
    found = cluster(part("t-0", (1, 9, 2), isr, leader))
    assert moved(found, Spec("t", 2)) == {"t-0": target}


def test_a_replica_out_of_sync_goes_before_one_in_sync():
    found = cluster(part("t-0", (1, 2, 3), (1, 3), 1))
    assert moved(found, Spec("t", 2)) == {"t-0": (1, 3)}


def test_an_explicit_placement_is_taken_as_it_is():
    found = cluster(part("t-0", (1, 2)), part("t-1", (2, 3)))
    spec = Spec("t", 2, ((2, 1), (2, 3), (3, 1)))
    assert moved(found, spec) == {"t-0": (2, 1)}


def test_partitions_under_way_are_waited_for_and_not_ordered_anew():
    found = cluster(part("t-0", (1, 2, 3), (1, 2), adding=(3,)), part("t-1", (1, 2)))
    assert moved(found, Spec("t", 3)) == {"t-1": (1, 2, 6)}


def test_a_spec_without_a_number_moves_nothing():
    assert moved(cluster(part("t-0", (1, 2))), Spec("t", 0)) == {}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Spec("x", 2), "topic x: there is no such topic"),
        (Spec("t", 7), "replication factor 7 is declared, 6 brokers are registered"),
        (Spec("t", 1), "replication factor 1 is below its min.insync.replicas 2: nobody could"),
        (Spec("t", 2, ((1, 9),)), "no broker 9 is registered; there are 1, 2, 3, 4, 5, 6"),
        (Spec("t", 2, ()), None),
    ],
)
def test_a_spec_that_cannot_be_met_is_told(spec, message):
    found = cluster(part("t-0", (1, 2)), min_isr=2)
    if message is None:
        assert plan(found, [spec]) == []
        return
    with pytest.raises(PlacementError, match=message):
        plan(found, [spec])


def test_all_specs_that_cannot_be_met_are_told_at_once():
    with pytest.raises(PlacementError) as refusal:
        plan(cluster(part("t-0", (1,))), [Spec("x", 1), Spec("t", 9), Spec("y", 1)])
    assert len(refusal.value.messages) == 3


def test_a_placement_for_fewer_partitions_than_there_are_is_refused():
    with pytest.raises(PlacementError, match="placement is for 1 partitions, it has 2"):
        plan(cluster(part("t-0", (1,)), part("t-1", (1,))), [Spec("t", 1, ((1,),))])


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ({"__consumer_offsets": {"replication_factor": 3}}, "is one of Kafka's own; set internal"),
        ({"t": {"placement": [[1, 2], [3]]}}, "placement needs 2 different brokers everywhere"),
        ({"t": {"placement": [[1, 1]]}}, "placement needs 2 different brokers everywhere"),
    ],
)
def test_parameters_that_cannot_be_taken_are_refused(topics, message):
    with pytest.raises(PlacementError, match=re.escape(message)):
        specs_of(topics)


def test_parameters_become_specs():
    assert specs_of(
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


def test_only_so_many_move_at_once():
    moves = plan(cluster(*(part(f"t-{n}", (1,)) for n in range(5))), [Spec("t", 2)])
    assert [len(portion(moves, under_way, 3)) for under_way in (0, 2, 3, 9)] == [3, 1, 0, 0]


def test_bytes_left_are_those_that_new_replicas_lack():
    moves = plan(cluster(part("t-0", (1,))), [Spec("t", 2)])
    flying = [part("t-1", (1, 3), (1,), adding=(3,))]
    sizes = {1: {"t-0": 100, "t-1": 50}, 3: {"t-1": 20}}
    assert bytes_left(moves, flying, sizes) == 100 + 30
    assert bytes_left([], [part("t-1", (1, 3), (1,), adding=(3,))], {}) == 1


def test_a_thousand_topics_are_placed_at_once():
    parts = [part(f"t{n // 3}-{n % 3}", (n % 6 + 1,)) for n in range(3000)]
    specs = [Spec(f"t{n}", 3) for n in range(1000)]
    found = cluster(*parts)
    begun = time.monotonic()
    assert len(plan(found, specs)) == 3000
    # Less than half a second on an idle machine: this is no measurement, it catches what hangs.
    assert time.monotonic() - begun < 20


class Kafka:
    """A stand-in for a connection: moves end with the next look; ``dies`` on a look."""

    def __init__(self, *parts, dies=99):
        self.parts = {each.name: each for each in parts}
        self.dies, self.looks = dies, 0
        self.limits, self.log, self.elected = set(), [], []
        self.timeout, self.deadline = 1, None

    def read_cluster(self):
        self.looks += 1
        if self.looks > self.dies:
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

    def throttle(self, desired, record):
        self.limits |= {*desired}
        self.log.append(
            ("throttle", {value for (kind, *_), value in desired.items() if kind == "broker"})
        )
        return []

    def release(self, record, brokers):
        there = bool(self.limits)
        self.limits = set()
        self.log.append(("release", there))
        return there

    def start(self, moves):
        for move in moves:
            old, new = move.partition.replicas, move.target
            union = (*new, *(broker for broker in old if broker not in new))
            self.parts[move.partition.name] = part(
                move.partition.name,
                union,
                old,
                adding=move.new,
                removing=tuple(broker for broker in old if broker not in new),
            )
        self.log.append(("start", len(moves)))

    def elect(self, parts):
        self.elected += [each.name for each in parts]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(reassignment, "LOOK", 0)


def test_moves_are_throttled_made_a_few_at_a_time_and_leave_no_throttle():
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)))
    found = reassignment.work(kafka, [Spec("t", 2)], Record(""), (5, 2, 5))
    assert (found["done"], found["changed"]) == (True, True)
    assert len(found["steps"]) == 3
    assert {each.replicas for each in kafka.parts.values()} <= {(1, 2), (1, 5), (1, 3), (1, 6)}
    assert kafka.log[0] == ("throttle", {"5"})
    assert [entry for entry in kafka.log if entry[0] == "start"] == [("start", 2), ("start", 1)]
    assert kafka.log[-1] == ("release", True)
    again = reassignment.work(kafka, [Spec("t", 2)], Record(""), (5, 2, 5))
    assert (again["done"], again["changed"], again["steps"]) == (True, False, [])


@pytest.mark.parametrize("dies", range(1, 5))
def test_an_interrupted_run_is_completed_by_the_next_which_removes_the_throttle(dies):
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)), dies=dies)
    with pytest.raises(KeyboardInterrupt):
        reassignment.work(kafka, [Spec("t", 2)], Record(""), (5, 1, 5))
    kafka.dies = 999
    assert reassignment.work(kafka, [Spec("t", 2)], Record(""), (5, 1, 5))["done"]
    assert kafka.limits == set()
    assert all(len(each.replicas) == 2 for each in kafka.parts.values())


def test_a_throttle_that_was_left_behind_is_removed_by_a_run_with_nothing_to_do():
    kafka = Kafka(part("t-0", (1, 2)))
    kafka.limits = {"t", 1}
    found = reassignment.work(kafka, [Spec("t", 0)], Record(""), (5, 1, 5))
    assert (found["done"], found["changed"], kafka.limits) == (True, True, set())


def test_without_a_rate_nothing_is_throttled():
    kafka = Kafka(part("t-0", (1,)))
    reassignment.work(kafka, [Spec("t", 2)], Record(""), (0, 1, 5))
    assert "throttle" not in dict(kafka.log)


def test_a_first_replica_that_is_new_leads_in_the_end():
    kafka = Kafka(part("t-0", (1, 2)))
    placed = kafka.start

    def start(moves):
        placed(moves)
        # The old leader goes on until it is told.
        kafka.parts["t-0"] = part("t-0", (2, 1), (1, 2), leader=1)

    kafka.start = start
    reassignment.work(kafka, [Spec("t", 2, ((2, 1),))], Record(""), (0, 1, 5))
    assert kafka.elected == ["t-0"]


def test_a_call_that_is_over_before_the_work_says_what_is_left():
    kafka = Kafka(*(part(f"t-{n}", (1,)) for n in range(3)))
    found = reassignment.work(kafka, [Spec("t", 2)], Record(""), (5, 1, 0))
    assert (found["done"], found["changed"], found["partitions_left"]) == (False, True, 3)
    assert kafka.limits
