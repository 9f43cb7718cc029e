"""The reads of brokers and groups with an in-memory cluster."""

from types import SimpleNamespace

from kafka_metal_watch.items import Items
from kafka_metal_watch.overview import Broker, Overview
from kafka_metal_watch.reader import GroupReader, read_brokers


def split(values, reasons):
    """Return the values of which none has a reason, and the reasons."""
    found = {name: value for name, value in values.items() if name not in reasons}
    return Items(found, {name: why for name, why in reasons.items() if name in values})


class Cluster:
    def __init__(self):
        self.offsets = {"g": {("t", 0): 10, ("t", 1): 20}, "apicurio-1": {("t", 0): 1}}
        self.end = {("t", 0): 15, ("t", 1): 20}
        self.members = {"g": [["t"], ["t"]]}
        # Errors of brokers that list no groups, and what cannot be read, by group or broker.
        self.errors = []
        self.without_offsets = {}
        self.without_members = {}
        self.without_limits = {}

    def groups(self):
        return sorted(self.offsets), self.errors

    def assignments(self, groups):
        found = {name: self.members.get(name, []) for name in groups}
        return split(found, self.without_members)

    def committed(self, groups):
        return split({name: self.offsets[name] for name in groups}, self.without_offsets)

    def overview(self):
        return Overview((Broker(1, registered=True), Broker(2)))

    def limits(self, brokers):
        return split({broker: {"CLIENTS": 900} for broker in brokers}, self.without_limits)

    def ends(self, partitions):
        return {each: self.end[each] for each in partitions if each in self.end}


def read(reader, now):
    """Return the values of a read and what is unread."""
    part = reader.read(now)
    return SimpleNamespace(**part.values, unread=part.unread)


def test_reader_skips_excluded_groups():
    found = read(GroupReader(Cluster(), exclude="^apicurio-"), 100.0)
    assert [(x.group, x.partition, x.records) for x in found.lags] == [("g", 0, 5), ("g", 1, 0)]
    assert found.members == {("g", "t"): 2}


def test_limits_are_read_from_registered_brokers():
    found = read_brokers(Cluster(), 1.0).values
    assert found["read"] == 1.0
    assert found["overview"].brokers == (Broker(1, registered=True), Broker(2))
    assert found["limits"] == {(1, "CLIENTS"): 900}


def test_a_group_without_members_has_zero_members():
    cluster = Cluster()
    cluster.members = {}
    assert read(GroupReader(cluster), 1.0).members[("g", "t")] == 0


def test_lag_in_seconds_uses_the_previous_read():
    cluster = Cluster()
    reader = GroupReader(cluster, exclude="^apicurio-")
    reader.read(100.0)
    cluster.end[("t", 0)] = 25
    first, _ = read(reader, 115.0).lags
    assert (first.records, first.seconds) == (15, 15.0)


def test_a_deleted_partition_is_forgotten():
    cluster = Cluster()
    reader = GroupReader(cluster)
    reader.read(1.0)
    cluster.offsets = {"g": {("t", 1): 20}}
    cluster.end[("t", 0)] = 3
    assert [each.partition for each in read(reader, 2.0).lags] == [1]
    assert set(reader._histories) == {("t", 1)}


MOVED = "Broker: Not coordinator"


def test_only_the_group_whose_coordinator_moves_is_missing():
    cluster = Cluster()
    cluster.without_offsets = {"apicurio-1": MOVED}

    found = read(GroupReader(cluster), 100.0)

    assert {each.group for each in found.lags} == {"g"}
    assert found.members == {("g", "t"): 2}
    assert found.lags_read == 100.0
    assert found.unread == {("group", "apicurio-1"): MOVED}


def test_a_group_without_readable_members_has_lag_and_no_number_of_members():
    cluster = Cluster()
    cluster.without_members = {"g": MOVED}

    found = read(GroupReader(cluster), 100.0)

    assert {each.group for each in found.lags} == {"g", "apicurio-1"}
    # Not 0: that would mean that no member consumes the topic.
    assert ("g", "t") not in found.members
    assert found.unread == {("group", "g"): MOVED}


def test_lag_in_seconds_survives_a_failed_read_of_the_group():
    cluster = Cluster()
    reader = GroupReader(cluster, exclude="^apicurio-")
    reader.read(100.0)
    cluster.without_offsets = {"g": MOVED}
    reader.read(115.0)
    cluster.without_offsets = {}
    cluster.end[("t", 0)] = 25
    first, _ = read(reader, 130.0).lags

    assert (first.records, first.seconds) == (15, 30.0)


def test_brokers_that_list_no_groups_and_limits_are_named():
    cluster = Cluster()
    cluster.errors = ["timed out"]
    cluster.without_limits = {1: "timed out"}

    assert read_brokers(cluster, 100.0).unread == {("connection limits", "1"): "timed out"}
    assert GroupReader(cluster).read(100.0).unread == {("groups", "all"): "timed out"}
