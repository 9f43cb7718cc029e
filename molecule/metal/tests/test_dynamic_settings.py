"""Dynamic settings of Kafka are changed and reset without a restart."""

import re
from collections.abc import Iterator

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import LIVE_KEYS
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import repository_root
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.kafka_keys import (
    CLASSES,
    FOLDER,
)
from testing.cluster import Cluster
from testing.playbooks import changes, run
from testing.rolls import GAP_SECONDS
from testing.settings import Settings
from testing.traffic import TOPIC, Traffic

# Settings of the scenario's inventory, and new ones.
DECLARED = {"num.network.threads": 8}
CHANGED = {**DECLARED, "num.io.threads": 16, "log.segment.bytes": 268_435_456}
# Effective values of topics without own settings, as in the scenario.
SMALL_SEGMENT, SEGMENT = "268435456", "1073741824"

# Keys that Kafka can change at run time but the collection changes by a restart, because more than
# the value depends on them.
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
    """Return the brokers' configuration files."""
    return [
        cluster.machine(instance)
        .file(f"/etc/kafka-metal/{instance.container}/server.properties")
        .content_string
        for instance in cluster.topology.brokers.values()
    ]


def everywhere(cluster: Cluster, value: str) -> dict[int, str]:
    return dict.fromkeys(cluster.topology.brokers, value)


def test_settings_are_changed_and_reset_under_load_without_a_restart(
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
    # No longer declared: the brokers have their defaults.
    assert threads_after == everywhere(cluster, "8")
    assert segment_after == SEGMENT
    assert started(cluster) == before
    assert (result.lost, result.errors) == ([], {})
    assert result.longest_gap <= GAP_SECONDS


def test_a_value_that_kafka_rejects_changes_nothing_and_is_reported(
    cluster: Cluster, settings: Settings
):
    before = started(cluster), files(cluster)
    wrong = {**DECLARED, "num.io.threads": 64, "log.segment.bytes": 268_435_456}

    done = run("kafka", extra={"kafka_broker_properties": wrong}, check=False)

    assert done.returncode != 0
    output = " ".join(done.stdout.split())
    assert "num.io.threads = 64 (now 8) is rejected by broker 1, 2, 3: " in output
    assert "value should not be greater than double the current value 8" in output
    assert (started(cluster), files(cluster)) == before
    brokers = cluster.topology.brokers
    assert settings.of_brokers(brokers, "num.io.threads") == everywhere(cluster, "8")
    assert settings.of_topic(TOPIC, "segment.bytes") == SEGMENT


def test_an_undeclared_value_set_by_hand_is_reported_and_kept(cluster: Cluster, settings: Settings):
    settings.change(2, {"log.cleaner.threads": "2", "num.io.threads": "4"})
    try:
        done = run("kafka")
        kept = settings.of_brokers([2], "log.cleaner.threads")
        restored = settings.of_brokers([2], "num.io.threads")
    finally:
        settings.change(2, {"log.cleaner.threads": None})

    assert "broker 2: log.cleaner.threads = 2 was set at run time" in done.stdout
    assert kept == {2: "2"}
    # The collection declares this key for every site.
    assert restored == {2: "8"}


def test_live_keys_equal_the_changeable_keys_of_a_running_broker(
    cluster: Cluster, settings: Settings
):
    changeable = {key for key in settings.changeable(1) if not LEFT_OUT.match(key)}
    assert changeable == set(LIVE_KEYS)


def test_recorded_keys_equal_the_keys_of_a_running_broker(settings: Settings):
    # A broker also reports keys that it was started with and does not know.
    versions = yaml.safe_load((repository_root() / "versions.yml").read_text())
    release = versions["kafka"].rpartition(".")[0]
    recorded = yaml.safe_load((FOLDER / f"{release}.yml").read_text())
    of_classes = yaml.safe_load((FOLDER / f"{CLASSES}.yml").read_text())
    passed_on = (*of_classes["prefixes"], "listener.name.")
    of_broker = {
        key
        for key in settings.names_of_broker(1) - {*recorded["class"], *of_classes["names"]}
        if not key.startswith(passed_on)
    }
    assert of_broker == set(recorded["broker"])
    assert settings.names_of_topic(TOPIC) == set(recorded["topic"])
