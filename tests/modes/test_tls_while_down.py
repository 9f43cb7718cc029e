"""A cluster that is there is closed while it is down, and keeps its records."""

import subprocess
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient
from conftest import SECONDS, Site, clean, one_of


@pytest.fixture
def opened() -> Iterator[Site]:
    """An open cluster with one record."""
    made = Site("plain", called="closing")
    try:
        made.play("site")
        producer = Producer(made.settings("anybody"))
        producer.produce("orders", b"from before")
        assert producer.flush(SECONDS) == 0
        yield made
    finally:
        clean(made)


def migrated(site: Site) -> str:
    """What Kafka's own tool says when it takes what is in the ensemble for the brokers."""
    return subprocess.run(
        [
            *("docker", "exec", f"{site.name}-kafka1", "zookeeper-security-migration"),
            *("--zookeeper.acl", "secure", "--zookeeper.connect", site.ensemble),
            *("--zk-tls-config-file", "/etc/kafka/ensemble.properties"),
        ],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def test_an_open_cluster_is_closed_while_it_is_down_and_keeps_its_records(opened: Site):
    closed = Site("tls_scram", called="closing")

    code, said = closed.tried("site")
    assert code != 0
    assert "Nothing was touched" in said
    assert "make secure" in said
    # The open one still serves.
    assert AdminClient(opened.settings("anybody")).list_topics(timeout=5).topics

    opened.play("down")
    closed.play("site")
    migrated(closed)

    assert one_of(closed.settings("reader"), "orders") == b"from before"
    with pytest.raises(KafkaException):
        AdminClient(opened.settings("anybody")).list_topics(timeout=5)
    assert "changed=0 " in closed.play("site").rpartition("PLAY RECAP")[2]
