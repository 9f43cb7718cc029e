"""Throttles of moves: exact, and only our own are removed."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import ClusterError
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import Partition
from ansible_collections.metal.kafka.plugins.module_utils._replicas import reassignment, throttles
from ansible_collections.metal.kafka.plugins.module_utils._replicas.placement import Move

LEADERS, FOLLOWERS = throttles.LEADERS, throttles.FOLLOWERS
PART = Partition("t", 0, 1, (1, 2), (1, 2))
UNDER_WAY = Partition("t", 1, 2, (2, 1, 3), (2, 1), adding=(3,))


class Cluster(reassignment.ReassignConnection):
    """A cluster of which only throttles are kept, in ``there``."""

    def __init__(self, there=None):
        self.there = dict(there or {})

    away = ()

    def throttled(self, resources):
        chosen = set(resources)
        if lost := {name for kind, name in chosen if kind == "broker"} & {*self.away}:
            # As kafka-python does of a broker that it does not know or cannot reach.
            raise ClusterError(f"throttles: NodeNotReadyError: {lost}")
        return {where: value for where, value in self.there.items() if where[:2] in chosen}

    def alter(self, resources, how):
        how(resources)

    class Admin:
        def __init__(self, there):
            self.there = there

        def alter_configs(self, resources):
            self.there |= {w: value for w, value in resources.items() if value is not None}

        def reset_configs(self, resources):
            for where in resources:
                del self.there[where]

    @property
    def admin(self):
        return self.Admin(self.there)


@pytest.fixture(autouse=True)
def _plain_resources(monkeypatch):
    monkeypatch.setattr(reassignment, "resources_of", dict)


def test_only_replicas_that_move_are_throttled():
    found = throttles.wanted([Move(PART, (1, 3))], [UNDER_WAY], [1, 2, 3], 5)
    assert found[("topic", "t", LEADERS)] == "0:1,0:2,1:1,1:2"
    assert found[("topic", "t", FOLLOWERS)] == "0:3,1:3"
    assert {value for (kind, *_), value in found.items() if kind == "broker"} == {"5"}


def test_a_move_that_copies_nothing_is_not_throttled():
    assert throttles.wanted([Move(PART, (2, 1))], [], [1, 2], 5) == {}


def test_a_throttle_of_somebody_else_is_named_and_kept(tmp_path):
    theirs = ("broker", "1", throttles.RATES[0])
    cluster = Cluster({theirs: "1000"})
    record = throttles.Record(str(tmp_path / "own.json"))
    named = cluster.throttle(throttles.wanted([Move(PART, (1, 3))], [], [1], 5), record)
    assert named == [f"broker 1: {theirs[2]}=1000 was set by somebody else and is kept"]
    assert cluster.there[theirs] == "1000"
    assert cluster.release(record, [1]) is True
    assert cluster.there == {theirs: "1000"}


def test_a_later_run_removes_what_a_killed_one_has_set_also_of_topics_it_does_not_know(tmp_path):
    path = str(tmp_path / "own.json")
    cluster = Cluster()
    cluster.throttle(throttles.wanted([Move(PART, (1, 3))], [], [1], 5), throttles.Record(path))
    assert cluster.there
    later = throttles.Record(path)
    assert cluster.release(later, [1]) is True
    assert cluster.there == {}
    assert not (tmp_path / "own.json").exists()
    assert cluster.release(throttles.Record(path), [1]) is False


def test_another_machines_file_serves_as_well(tmp_path):
    path = tmp_path / "own.json"
    cluster = Cluster()
    first = throttles.Record(str(path))
    cluster.throttle(throttles.wanted([Move(PART, (1, 3))], [], [1], 5), first)
    rows = json.loads(path.read_text())["throttles"]
    assert cluster.release(throttles.Record("", rows), [1]) is True


def test_the_rate_of_a_broker_that_is_away_waits_for_it_and_holds_up_nothing_else(tmp_path):
    path = tmp_path / "own.json"
    cluster = Cluster()
    moves = [Move(PART, (1, 3))]
    cluster.throttle(throttles.wanted(moves, [], [1, 3], 5), throttles.Record(str(path)))
    cluster.away = ("3",)
    assert cluster.release(throttles.Record(str(path)), [1]) is True
    assert {where[:2] for where in cluster.there} == {("broker", "3")}
    assert cluster.release(throttles.Record(str(path)), [1]) is False

    cluster.away = ()
    assert cluster.release(throttles.Record(str(path)), [1, 3]) is True
    assert (cluster.there, path.exists()) == ({}, False)


def test_a_value_that_was_changed_by_hand_since_is_not_ours_any_more():
    rate = ("broker", "1", throttles.RATES[1])
    cluster = Cluster({rate: "7"})
    assert cluster.release(throttles.Record("", [[*rate, "5"]]), [1]) is False
    assert cluster.there == {rate: "7"}


def test_a_damaged_file_counts_as_none(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('{"throttles": [["broker"')
    assert throttles.Record(str(path)).own == {}
