"""Throttles of moves: their replicas, and removal of own throttles only."""

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
    """A fake cluster that stores throttles only, in ``existing``."""

    def __init__(self, existing=None):
        self.existing = dict(existing or {})

    away = ()

    def throttled(self, resources):
        chosen = set(resources)
        if lost := {name for kind, name in chosen if kind == "broker"} & {*self.away}:
            # Like kafka-python for an unknown or unreachable broker.
            raise ClusterError(f"changing throttles: NodeNotReadyError: {lost}")
        return {where: value for where, value in self.existing.items() if where[:2] in chosen}

    def alter(self, resources, how):
        how(resources)

    class Admin:
        def __init__(self, existing):
            self.existing = existing

        def alter_configs(self, resources):
            self.existing |= {w: value for w, value in resources.items() if value is not None}

        def reset_configs(self, resources):
            for where in resources:
                del self.existing[where]

    @property
    def admin(self):
        return self.Admin(self.existing)


@pytest.fixture(autouse=True)
def _plain_resources(monkeypatch):
    monkeypatch.setattr(reassignment, "config_resources", dict)


def test_only_moving_replicas_are_throttled():
    found = throttles.desired_throttles([Move(PART, (1, 3))], [UNDER_WAY], [1, 2, 3], 5)
    assert found[("topic", "t", LEADERS)] == "0:1,0:2,1:1,1:2"
    assert found[("topic", "t", FOLLOWERS)] == "0:3,1:3"
    assert {value for (kind, *_), value in found.items() if kind == "broker"} == {"5"}


def test_move_without_copies_is_not_throttled():
    assert throttles.desired_throttles([Move(PART, (2, 1))], [], [1, 2], 5) == {}


def test_foreign_throttle_is_reported_and_kept(tmp_path):
    foreign = ("broker", "1", throttles.RATES[0])
    cluster = Cluster({foreign: "1000"})
    throttle_file = throttles.ThrottleFile(str(tmp_path / "own.json"))
    named = cluster.set_throttles(
        throttles.desired_throttles([Move(PART, (1, 3))], [], [1], 5), throttle_file
    )
    assert named == [f"broker 1: {foreign[2]}=1000 was not set by this collection and is kept"]
    assert cluster.existing[foreign] == "1000"
    assert cluster.remove_throttles(throttle_file, [1]) is True
    assert cluster.existing == {foreign: "1000"}


def test_later_run_removes_all_throttles_of_a_killed_run(tmp_path):
    path = str(tmp_path / "own.json")
    cluster = Cluster()
    cluster.set_throttles(
        throttles.desired_throttles([Move(PART, (1, 3))], [], [1], 5), throttles.ThrottleFile(path)
    )
    assert cluster.existing
    later = throttles.ThrottleFile(path)
    assert cluster.remove_throttles(later, [1]) is True
    assert cluster.existing == {}
    assert not (tmp_path / "own.json").exists()
    assert cluster.remove_throttles(throttles.ThrottleFile(path), [1]) is False


def test_throttles_of_another_host_is_used(tmp_path):
    path = tmp_path / "own.json"
    cluster = Cluster()
    first = throttles.ThrottleFile(str(path))
    cluster.set_throttles(throttles.desired_throttles([Move(PART, (1, 3))], [], [1], 5), first)
    rows = json.loads(path.read_text())["throttles"]
    assert cluster.remove_throttles(throttles.ThrottleFile("", rows), [1]) is True


def test_rate_on_unreachable_broker_stays_in_the_file(tmp_path):
    path = tmp_path / "own.json"
    cluster = Cluster()
    moves = [Move(PART, (1, 3))]
    cluster.set_throttles(
        throttles.desired_throttles(moves, [], [1, 3], 5), throttles.ThrottleFile(str(path))
    )
    cluster.away = ("3",)
    assert cluster.remove_throttles(throttles.ThrottleFile(str(path)), [1]) is True
    assert {where[:2] for where in cluster.existing} == {("broker", "3")}
    assert cluster.remove_throttles(throttles.ThrottleFile(str(path)), [1]) is False

    cluster.away = ()
    assert cluster.remove_throttles(throttles.ThrottleFile(str(path)), [1, 3]) is True
    assert (cluster.existing, path.exists()) == ({}, False)


def test_changed_throttle_is_no_longer_own():
    rate = ("broker", "1", throttles.RATES[1])
    cluster = Cluster({rate: "7"})
    assert cluster.remove_throttles(throttles.ThrottleFile("", [[*rate, "5"]]), [1]) is False
    assert cluster.existing == {rate: "7"}


def test_damaged_file_is_ignored(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('{"throttles": [["broker"')
    assert throttles.ThrottleFile(str(path)).own == {}
