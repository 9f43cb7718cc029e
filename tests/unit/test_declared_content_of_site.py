"""The declaration with which screens compare the cluster is what runs apply."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._site import (
    content,
    service_topics,
    site_users,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.host_secrets import Host
from ansible_collections.metal.kafka.plugins.plugin_utils._site.variables import defaults
from site_inventories import site

PIPELINE = {"source": {"topic": "payments"}, "sql": "select 1", "output": {"topic": "frauds"}}


def declared(**variables):
    """Return the declaration of a site with these variables."""
    inventory = site(**variables)
    facts = {
        "kafka.service_topics": lambda: service_topics.service_topics(inventory),
        "kafka.hosts": lambda: list(inventory.members("kafka")),
        "users.service_accounts": lambda: site_users.content_service_accounts(inventory),
        "users.defaults": lambda: site_users.defaults(inventory),
        "users.names": lambda: site_users.names(inventory),
        "pipelines.topics": lambda: site_users.pipeline_topics(inventory),
    }

    def variable_of(host, name):
        return inventory.get(host, name, defaults()[name])

    return content.declared(
        Host(lambda name: facts[name](), None, None, None, variable_of)  # type: ignore[arg-type]
    )


def test_topics_have_the_defaults_of_the_site():
    topics = {"payments": {"retention": "1d", "config": {"segment.ms": None}}, "frauds": {}}
    found = declared(kafka_content_topics=topics, pipeline_pipelines={"p": PIPELINE})["topics"]
    assert found["payments"] == {
        "partitions": 6,
        "replicas": 3,
        "config": {"min.insync.replicas": "2", "retention.ms": "86400000"},
        "defaults": ["segment.ms"],
        "affects": ["pipeline-p"],
    }
    assert found["frauds"]["config"]["retention.ms"] == "604800000"


def test_users_are_those_of_the_site_and_service_accounts():
    found = declared(
        kafka_content_users={"shop": {"quota": {"producer": "5MB"}}},
        pipeline_pipelines={"p": PIPELINE},
    )
    assert found["users"]["shop"] == []
    assert found["users"]["pipeline-p"] == ["pipeline-p"]
    assert found["quotas"] == [{"user": "shop", "values": {"producer_byte_rate": 5_000_000.0}}]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kafka_content_topics": {"payments": {"partitions": 0}}},
        {"kafka_content_users": ["shop"]},
        {"kafka_content_users": {"operator": {}}},
    ],
)
def test_an_invalid_declaration_is_not_compared(wrong):
    assert declared(**wrong) == {}
