"""Status reads declared topics and quotas with the state of the cluster, in two requests."""

from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.filter.kafka_broker import status
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._content.declared_client import (
    DeclaredConnection,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.quotas import Entity
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import ClusterError
from ansible_collections.metal.kafka.plugins.module_utils._kafka.health import report
from ansible_collections.metal.kafka.plugins.module_utils._problems.content_problems import MOST
from kafka_states import cluster, partition

DECLARED = {
    "topics": {
        name: {
            **{"partitions": 2, "replicas": 3, "config": {"retention.ms": "5"}, "defaults": []},
            "affects": [],
        }
        for name in ("a", "b")
    },
    "users": {"shop": []},
    "quotas": [{"user": "shop", "values": {"producer_byte_rate": 5.0}}],
}
STATE = cluster(
    partition("a-0", (1, 2, 3)), partition("a-1", (1, 2, 3)), partition("other-0", (1,))
)


class Connection(DeclaredConnection):
    """A connection with prepared responses; ``keys`` are the requested keys by topic."""

    def __init__(self, retention, quotas, denied=()):
        self.deadline, self.keys, self._quotas = Deadline(1), {}, quotas
        entry = {"value": retention, "config_source": "DYNAMIC_TOPIC_CONFIG", "config_type": "LONG"}

        def describe_configs(resources, config_filter):
            assert config_filter == "all"
            self.keys |= {each.name: each.configs for each in resources}
            read = {each.name: {"retention.ms": entry} for each in resources}
            return {"topic": read | {name: {} for name in denied}}

        self.admin = SimpleNamespace(describe_configs=describe_configs)

    def read_quotas(self):
        if isinstance(self._quotas, Exception):
            raise self._quotas
        return self._quotas


def test_topics_and_quotas_that_differ_are_problems():
    made = Connection("1", {Entity("shop"): {"producer_byte_rate": 1.0}})
    found, unread = made.read_content(STATE, DECLARED)
    assert [each.text for each in found] == [
        "topic a: retention.ms is 1, declared 5",
        "topic b is declared and does not exist",
        "user shop: quota producer_byte_rate is 1, declared 5",
    ]
    assert unread == []


def test_only_keys_of_existing_declared_topics_are_read():
    made = Connection("5", {})
    made.read_content(STATE, DECLARED)
    assert list(made.keys) == ["a"]
    assert "retention.ms" in made.keys["a"]
    assert len(made.keys["a"]) < 10


def test_quotas_that_cannot_be_read_hide_no_topic():
    made = Connection("1", ClusterError("reading quotas: not authorized"))
    found, unread = made.read_content(STATE, DECLARED)
    assert len(found) == 2
    assert unread == ["reading quotas: not authorized"]


def test_many_differences_of_topics_and_quotas_are_counted_together():
    names = [f"n{number:02}" for number in range(MOST + 5)]
    declared = {
        "topics": dict.fromkeys(names, DECLARED["topics"]["a"]),
        "users": {name: [] for name in names},
        "quotas": [{"user": name, "values": {"producer_byte_rate": 5.0}} for name in names],
    }
    found, _ = Connection("5", {}).read_content(STATE, declared)
    assert len(found) == MOST + 1
    assert found[-1].text == f"{MOST + 10} more differences from the declaration"


def test_topics_whose_settings_cannot_be_read_are_named():
    made = Connection("1", {}, denied=["a"])
    found, unread = made.read_content(STATE, {**DECLARED, "quotas": []})
    assert [each.text for each in found] == ["topic b is declared and does not exist"]
    assert unread == ["configs of topics cannot be read: a"]


@pytest.mark.parametrize(
    ("retention", "texts"), [("5", []), ("1", ["topic a: retention.ms is 1, declared 5"])]
)
def test_status_lists_them(retention, texts):
    made = Connection(retention, {})
    declared = {**DECLARED, "topics": {"a": DECLARED["topics"]["a"]}, "quotas": []}
    found, _ = made.read_content(STATE, declared)
    info = report(STATE, content=found)
    listed = status(info, [], "CLIENTS")["problems"]
    assert [each["text"] for each in listed if each["kind"] == "ContentChanged"] == texts
    assert not info["healthy"] or not texts
