"""TLS is enabled on a stopped cluster, which keeps its records."""

import subprocess
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient
from conftest import SECONDS, Site, clean, one_of


@pytest.fixture
def unsecured() -> Iterator[Site]:
    """A cluster without security, with one record."""
    made = Site("plain", suffix="stopped")
    try:
        made.play("site")
        producer = Producer(made.settings("anybody"))
        producer.produce("orders", b"from before")
        assert producer.flush(SECONDS) == 0
        yield made
    finally:
        clean(made)


def migrated(site: Site) -> str:
    """Return the output of Kafka's tool that gives brokers the znodes in ZooKeeper."""
    return subprocess.run(
        [
            *("docker", "exec", f"{site.name}-kafka1", "zookeeper-security-migration"),
            *("--zookeeper.acl", "secure", "--zookeeper.connect", site.zookeeper),
            *("--zk-tls-config-file", "/etc/kafka/ensemble.properties"),
        ],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def test_tls_is_enabled_on_a_stopped_cluster_that_keeps_its_records(unsecured: Site):
    secured = Site("tls_scram", suffix="stopped")

    code, output = secured.tried("site")
    assert code != 0
    assert "Nothing was touched" in output
    assert "make secure" in output
    # The running cluster still serves without security.
    assert AdminClient(unsecured.settings("anybody")).list_topics(timeout=5).topics

    unsecured.play("down")
    secured.play("site")
    migrated(secured)

    assert one_of(secured.settings("reader"), "orders") == b"from before"
    with pytest.raises(KafkaException):
        AdminClient(unsecured.settings("anybody")).list_topics(timeout=5)
    assert "changed=0 " in secured.play("site").rpartition("PLAY RECAP")[2]
