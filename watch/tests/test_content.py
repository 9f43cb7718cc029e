"""Declared topics are compared in turns, and a difference counts after two reads of its topic."""

import json
import time
from concurrent.futures import Future
from dataclasses import replace

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import ConfigEntry, ConfigSource
from kafka_metal_watch import cluster as clusters
from kafka_metal_watch._problems.config_values import UNKNOWN, Value
from kafka_metal_watch._problems.content_problems import FILE, MOST
from kafka_metal_watch.cluster import Kafka
from kafka_metal_watch.content import PER_READ, Content, ContentReader
from kafka_metal_watch.findings import findings
from kafka_metal_watch.items import Items
from kafka_metal_watch.metrics import ClusterCollector, ClusterState
from kafka_metal_watch.operation import Operation
from kafka_metal_watch.overview import Broker, Overview, Topic

UNREAD = ("topic settings", "of some declared topics")
CHANGED = "topic t0: retention.ms is 1, declared 5"


class Cluster:
    """Topics with their ``retention``; ``read`` are the topics of each request."""

    def __init__(self, count):
        self.retention = {f"t{number}": "5" for number in range(count)}
        self.read, self.unread, self.fails = [], {}, False

    def topic_keys(self, topics):
        self.read.append(list(topics))
        if self.fails:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        found = {
            name: {"retention.ms": Value(self.retention[name], UNKNOWN)}
            for name in topics
            if name not in self.unread
        }
        return Items(found, {name: self.unread[name] for name in topics if name in self.unread})

    def overview(self):
        topics = (Topic(name, 2, 3, 0, 0, 3) for name in self.retention)
        return Overview((Broker(1, registered=True, controller=True),), tuple(topics))


class Site:
    """A declaration of topics in a file, and the reader that compares them."""

    def __init__(self, folder, count):
        self.cluster, self.path = Cluster(count), folder / FILE.format(cluster="local")
        self.reader = ContentReader(self.cluster, str(folder), "local")
        self.declare(self.cluster.retention)

    def declare(self, names, retention="5"):
        spec = {"partitions": 2, "replicas": 3, "config": {"retention.ms": retention}}
        topics = {name: {**spec, "defaults": [], "affects": []} for name in names}
        self.path.write_text(json.dumps({"topics": topics, "users": {}, "quotas": []}))

    def texts(self):
        found = self.reader.read(self.cluster.overview())
        assert found is not None
        return [each.text for each in found.problems]


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, 3)


def test_two_consecutive_reads_report_a_changed_topic(site):
    assert site.texts() == []
    site.cluster.retention["t0"] = "1"
    assert site.texts() == []
    assert site.texts() == [CHANGED]
    site.cluster.retention["t0"] = "5"
    assert site.texts() == []


def test_a_value_that_changes_at_each_read_is_not_reported(site):
    for value in ("1", "2", "1"):
        site.cluster.retention["t0"] = value
        assert site.texts() == []


def test_a_deleted_topic_is_reported_and_not_read(site):
    del site.cluster.retention["t1"]
    assert site.texts() == []
    assert site.texts() == ["topic t1 is declared and does not exist"]
    assert site.cluster.read[-1] == ["t0", "t2"]


def test_a_new_declaration_discards_the_results_of_the_last_one(site):
    site.cluster.retention["t0"] = "1"
    site.texts()
    assert site.texts() == [CHANGED]
    site.declare(site.cluster.retention, "1")
    assert site.texts() == []
    assert len(site.texts()) == 2


def test_a_new_declaration_keeps_the_results_of_the_other_topics(site):
    site.cluster.retention["t0"] = "1"
    site.texts()
    assert site.texts() == [CHANGED]
    site.declare([*site.cluster.retention, "new"])
    assert site.texts() == [CHANGED]


def test_a_topic_that_is_no_longer_declared_is_not_reported(site):
    site.cluster.retention["t0"] = "1"
    site.texts()
    assert site.texts() == [CHANGED]
    site.declare(["t1", "t2"])
    assert site.texts() == []


def test_without_a_declaration_nothing_is_compared(site, tmp_path):
    site.path.unlink()
    assert site.reader.read(site.cluster.overview()) is None
    assert ContentReader(site.cluster, "", "local").read(site.cluster.overview()) is None
    assert site.cluster.read == []
    assert site.reader.unread == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"topics": {"a": {}}}', '{"topics": 1}'])
def test_an_unreadable_declaration_is_named(site, text):
    site.texts()
    site.path.write_text(text)
    for _ in range(2):
        assert site.reader.read(site.cluster.overview()) is None
        assert list(site.reader.unread) == [("declaration", str(site.path))]
    site.declare(site.cluster.retention)
    assert site.texts() == []
    assert site.reader.unread == {}


def test_many_topics_are_read_in_turns_and_keep_their_results(tmp_path):
    site = Site(tmp_path, 2 * PER_READ + 50)
    site.cluster.retention["t0"] = "1"
    every = sorted(site.cluster.retention)
    reported = [bool(site.texts()) for _ in range(6)]

    first, second, third, fourth, *_ = site.cluster.read
    assert {len(each) for each in site.cluster.read} == {PER_READ}
    assert first + second == every[: 2 * PER_READ]
    # The third has the last ones, and the first ones again.
    assert third == every[2 * PER_READ :] + every[: PER_READ - 50]
    assert fourth[0] == every[50]
    # t0 is in the first, third and sixth read, and keeps its result in between.
    assert reported == [False, False, True, True, True, True]


def test_a_topic_that_cannot_be_read_keeps_its_result(site):
    site.cluster.retention["t0"] = "1"
    site.texts()
    site.texts()
    site.cluster.unread = {"t0": "not authorized"}
    assert site.texts() == [CHANGED]
    assert site.reader.unread == {UNREAD: "1 of them, first t0: not authorized"}
    site.cluster.unread, site.cluster.fails = {}, True
    assert site.texts() == [CHANGED]
    assert list(site.reader.unread) == [UNREAD]
    assert site.reader.unread[UNREAD].startswith("3 of them, first t0: ")
    site.cluster.fails = False
    assert site.texts() == [CHANGED]
    assert site.reader.unread == {}


def test_a_topic_is_unread_until_it_is_read_again_or_no_longer_declared(tmp_path):
    site = Site(tmp_path, 2 * PER_READ + 50)
    site.cluster.unread = {"t0": "not authorized", "t1": "not authorized"}
    for _ in range(8):
        site.texts()
        assert site.reader.unread == {UNREAD: "2 of them, first t0: not authorized"}
    site.cluster.unread = {"t1": "not authorized"}
    texts = []
    for _ in range(3):
        site.texts()
        texts.append(site.reader.unread[UNREAD])
    assert texts[-1] == "1 of them, first t1: not authorized"
    site.declare(site.cluster.retention.keys() - {"t1"})
    site.texts()
    assert site.reader.unread == {}
    site.cluster.fails = True
    site.texts()
    assert UNREAD in site.reader.unread
    site.path.unlink()
    assert site.reader.read(site.cluster.overview()) is None
    assert site.reader.unread == {}


def test_a_topic_without_metadata_is_not_compared(site):
    bare = replace(site.cluster.overview().topics[0], partitions=0, least_replicas=0)
    site.reader.read(Overview(topics=(bare,)))
    found = site.reader.read(Overview(topics=(bare,)))
    assert [each.text.split()[1] for each in found.problems] == ["t1", "t2"]
    assert site.cluster.read == [[], []]


def test_keys_that_are_set_on_topics_are_read_in_one_request(monkeypatch):
    requests = []

    class Admin:
        def __init__(self, _options):
            pass

        def describe_configs(self, resources, **_options):
            requests.append(resources)
            entries = {
                "retention.ms": ConfigEntry("retention.ms", "5", source=1),
                "segment.ms": ConfigEntry("segment.ms", "7", source=5),
                "cleanup.policy": ConfigEntry(
                    "cleanup.policy", "compact", source=ConfigSource.DYNAMIC_TOPIC_CONFIG
                ),
            }
            futures = {each: Future() for each in resources}
            for each in futures.values():
                each.set_result(entries)
            return futures

    monkeypatch.setattr(clusters, "AdminClient", Admin)
    found = Kafka({}).topic_keys(["a", "b"])

    assert [[each.name for each in request] for request in requests] == [["a", "b"]]
    keys = {"retention.ms": Value("5", UNKNOWN), "cleanup.policy": Value("compact", UNKNOWN)}
    assert found == Items({"a": keys, "b": keys})
    assert Kafka({}).topic_keys([]) == Items()


def state(site, **more):
    """Return the state of a cluster whose topic t0 was changed."""
    site.cluster.retention["t0"] = "1"
    site.texts()
    content = site.reader.read(site.cluster.overview())
    return ClusterState(read=100.0, overview=site.cluster.overview(), content=content, **more)


def listed(found):
    (finding,) = findings(found, 101.0, 15)
    return finding.problem.kind, finding.problem.where, finding.problem.level


def metric(found):
    collector = ClusterCollector(lambda: found, lambda _: ())
    values = [
        sample.value
        for family in collector.collect()
        for sample in family.samples
        if sample.name == "kafka_metal_topics_changed"
    ]
    return values[0] if values else None


def test_page_and_metric_report_a_changed_topic(site):
    found = state(site)
    assert listed(found) == ("ContentChanged", "kafka", "ticket")
    assert metric(found) == 1
    assert metric(replace(found, content=Content())) == 0
    assert metric(ClusterState()) is None


def test_an_operation_in_progress_may_change_topics(site):
    found = state(site, operation=Operation("change of content", "me", active=time.time()))
    assert listed(found) == ("ContentChanged", "kafka", "note")
    assert metric(found) == 0
    interrupted = Operation("change of content", "me", active=time.time() - 3600)
    assert metric(replace(found, operation=interrupted)) == 1


def test_many_changed_topics_are_counted(tmp_path):
    site = Site(tmp_path, MOST + 5)
    site.cluster.retention = {}
    site.texts()
    found = site.reader.read(site.cluster.overview())
    assert (found.topics, len(found.problems)) == (MOST + 5, MOST + 1)
    assert found.problems[-1].text == "5 more differences from the declaration"
