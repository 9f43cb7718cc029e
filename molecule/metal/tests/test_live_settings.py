"""Settings that Kafka changes while it runs cost no restart, wherever they come from or go."""

import re
from collections.abc import Iterator

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import LIVE_KEYS
from testing.cluster import Cluster
from testing.playbooks import changes, run
from testing.rolls import GAP_SECONDS
from testing.settings import Settings
from testing.traffic import TOPIC, Traffic

# What the inventory of the scenario sets stays; the rest is new.
DECLARED = {"num.network.threads": 8}
CHANGED = {**DECLARED, "num.io.threads": 16, "log.segment.bytes": 268_435_456}
# Of topics that set none of their own, as those of the scenario.
SMALL_SEGMENT, SEGMENT = "268435456", "1073741824"

# Keys that Kafka could change and we leave to a restart: more than a value depends on them.
LEFT_OUT = re.compile(
    r"(ssl|sasl)\.|(advertised\.)?listeners$|listener\.security\.protocol\.map$"
    r"|principal\.builder\.class$|metric\.reporters$"
)


@pytest.fixture
def settings(cluster: Cluster) -> Settings:
    return Settings(cluster.topology.bootstrap)


@pytest.fixture
def back_to_the_inventory() -> Iterator[None]:
    yield
    run("kafka")


def started(cluster: Cluster) -> dict[int, str]:
    return {broker: cluster.broker(broker).started() for broker in cluster.topology.brokers}


def files(cluster: Cluster) -> list[str]:
    """The brokers' configuration on their machines."""
    return [
        cluster.machine(instance)
        .file(f"/etc/kafka-metal/{instance.container}/server.properties")
        .content_string
        for instance in cluster.topology.brokers.values()
    ]


def everywhere(cluster: Cluster, value: str) -> dict[int, str]:
    return dict.fromkeys(cluster.topology.brokers, value)


def test_a_change_comes_and_goes_under_load_and_nothing_restarts(
    cluster: Cluster, settings: Settings, back_to_the_inventory: None
):
    brokers = cluster.topology.brokers
    before = started(cluster)

    with Traffic(cluster.topology.bootstrap) as traffic:
        done = run("kafka", extra={"kafka_broker_properties": CHANGED})
        threads = settings.of_brokers(brokers, "num.io.threads")
        segment = settings.of_topic(TOPIC, "segment.bytes")
        again = run("kafka", extra={"kafka_broker_properties": CHANGED})
        run("kafka")
        threads_after = settings.of_brokers(brokers, "num.io.threads")
        segment_after = settings.of_topic(TOPIC, "segment.bytes")
    result = traffic.verify()
    print(f"longest gap {result.longest_gap:.2f} s in {result.acknowledged} records")

    assert threads == everywhere(cluster, "16")
    assert segment == SMALL_SEGMENT
    assert changes(done) > 0
    assert changes(again) == 0
    # Withdrawn: what a broker has that never heard of them.
    assert threads_after == everywhere(cluster, "8")
    assert segment_after == SEGMENT
    assert started(cluster) == before
    assert (result.lost, result.errors) == ([], {})
    assert result.longest_gap <= GAP_SECONDS


def test_a_value_that_kafka_refuses_changes_nothing_and_is_explained(
    cluster: Cluster, settings: Settings
):
    before = started(cluster), files(cluster)
    wrong = {**DECLARED, "num.io.threads": 64, "log.segment.bytes": 268_435_456}

    done = run("kafka", extra={"kafka_broker_properties": wrong}, check=False)

    assert done.returncode != 0
    output = " ".join(done.stdout.split())
    assert "num.io.threads = 64 (now 8) is refused by broker 1, 2, 3: " in output
    assert "value should not be greater than double the current value 8" in output
    assert (started(cluster), files(cluster)) == before
    brokers = cluster.topology.brokers
    assert settings.of_brokers(brokers, "num.io.threads") == everywhere(cluster, "8")
    assert settings.of_topic(TOPIC, "segment.bytes") == SEGMENT


def test_a_value_that_somebody_set_by_hand_is_named_and_kept(cluster: Cluster, settings: Settings):
    settings.change(2, {"log.cleaner.threads": "2", "num.io.threads": "4"})
    try:
        done = run("kafka")
        kept = settings.of_brokers([2], "log.cleaner.threads")
        put_right = settings.of_brokers([2], "num.io.threads")
    finally:
        settings.change(2, {"log.cleaner.threads": None})

    assert "broker 2: log.cleaner.threads = 2 was set at run time" in done.stdout
    assert kept == {2: "2"}
    # Declared is what we set ourselves for every site.
    assert put_right == {2: "8"}


def test_the_table_is_what_a_running_broker_says(cluster: Cluster, settings: Settings):
    changeable = {key for key in settings.changeable(1) if not LEFT_OUT.match(key)}
    assert changeable == set(LIVE_KEYS)
