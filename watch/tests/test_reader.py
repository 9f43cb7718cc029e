"""The reader of the exporter with an in-memory cluster."""

from kafka_metal_watch.cluster import Reader
from kafka_metal_watch.overview import Broker, Overview


class Cluster:
    def __init__(self):
        self.offsets = {"g": {("t", 0): 10, ("t", 1): 20}, "apicurio-1": {("t", 0): 1}}
        self.end = {("t", 0): 15, ("t", 1): 20}
        self.members = {"g": [["t"], ["t"]]}

    def groups(self):
        return sorted(self.offsets)

    def assignments(self, groups):
        return {name: self.members.get(name, []) for name in groups}

    def committed(self, group):
        return self.offsets[group]

    def overview(self):
        return Overview((Broker(1, registered=True), Broker(2)))

    def limits(self, brokers):
        return {(broker, "CLIENTS"): 900 for broker in brokers}

    def ends(self, partitions):
        return {each: self.end[each] for each in partitions if each in self.end}


def test_reader_skips_excluded_groups():
    reader = Reader(Cluster(), exclude="^apicurio-")
    found = reader.read(100.0)
    assert found.read == 100.0
    assert [(x.group, x.partition, x.records) for x in found.lags] == [("g", 0, 5), ("g", 1, 0)]
    assert found.members == {("g", "t"): 2}
    assert found.overview.brokers == (Broker(1, registered=True), Broker(2))


def test_limits_are_read_from_registered_brokers():
    assert Reader(Cluster()).read(1.0).limits == {(1, "CLIENTS"): 900}


def test_a_group_without_members_has_zero_members():
    cluster = Cluster()
    cluster.members = {}
    assert Reader(cluster).read(1.0).members[("g", "t")] == 0


def test_lag_in_seconds_uses_the_previous_read():
    cluster = Cluster()
    reader = Reader(cluster, exclude="^apicurio-")
    reader.read(100.0)
    cluster.end[("t", 0)] = 25
    first, _ = reader.read(115.0).lags
    assert (first.records, first.seconds) == (15, 15.0)


def test_a_deleted_partition_is_forgotten():
    cluster = Cluster()
    reader = Reader(cluster)
    reader.read(1.0)
    cluster.offsets = {"g": {("t", 1): 20}}
    cluster.end[("t", 0)] = 3
    assert [each.partition for each in reader.read(2.0).lags] == [1]
    assert set(reader._histories) == {("t", 1)}
