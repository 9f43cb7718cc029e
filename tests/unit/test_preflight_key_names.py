"""Keys of brokers and topics that the declared version of Kafka does not have."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import LIVE_KEYS
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.kafka_keys import (
    read_keys,
    recorded_releases,
)
from preflight_sites import Faults, ValidSite, problems, put, put_everywhere, topic

PROPERTIES = "kafka_broker_properties"


def older(site: ValidSite) -> None:
    """Declare Kafka 3.8 and a key of 3.9."""
    site.hosts["kafka1"]["image_versions"] = {"kafka": "3.8.1"}
    site.hosts["kafka1"][PROPERTIES] = {"share.coordinator.threads": 2}


def newer(site: ValidSite) -> None:
    """Declare a version of Kafka whose keys are not recorded, on all brokers."""
    for host in site.groups["kafka"]:
        site.hosts[host]["image_versions"] = {"kafka": "9.1.0"}
    put_everywhere(PROPERTIES, {"num.io.treads": 2})(site)


FAULTS: Faults = {
    "a typo of a broker's key": (
        put_everywhere(PROPERTIES, {"num.io.treads": 16}),
        ["all: kafka_broker_properties[num.io.treads]: found a key that Kafka 3.9 does not "
         "have, and ignores; allowed: num.io.threads (did you mean that?), or a key of Kafka, or "
         "for a plugin's key an entry in kafka_broker_extra_keys"],
    ),
    "a value that is a mapping": (
        put("kafka2", "kafka_broker_host_properties", {"num.io.threads": {"a": 1}}),
        ["kafka2: kafka_broker_host_properties[num.io.threads]: found a mapping; allowed: text, a"],
    ),
    "a typo in the key of one broker": (
        put("kafka2", "kafka_broker_host_properties", {"num.io.treads": None}),
        ["kafka2: kafka_broker_host_properties[num.io.treads]: found a key that Kafka 3.9"],
    ),
    "a topic's key at a broker": (
        put_everywhere(PROPERTIES, {"retention.ms": 1000}),
        ["all: kafka_broker_properties[retention.ms]: found a key of topics, which brokers "
         "ignore; allowed: log.retention.ms, the key of brokers"],
    ),
    "a topic's key at a broker, without a default at brokers": (
        put_everywhere(PROPERTIES, {"remote.storage.enable": True}),
        ["allowed: this key in config of a topic (kafka_content_topics)"],
    ),
    "a typo in the key of a listener": (
        put_everywhere(PROPERTIES, {"listener.name.clients.ssl.client.auht": "none"}),
        ["found a key that Kafka 3.9 does not have, and ignores; allowed: "
         "listener.name.clients.ssl.client.auth (did you mean that?)"],
    ),
    "a key of a newer version": (
        older,
        ["kafka1: kafka_broker_properties[share.coordinator.threads]: found a key that Kafka 3.8"],
    ),
    "extra keys that are no list": (
        put("kafka2", "kafka_broker_extra_keys", "com.example"),
        ["kafka2: kafka_broker_extra_keys: found 'com.example'; allowed: a list of names"],
    ),
    "a version without checksums": (
        put_everywhere("image_versions", {"kafka": "3.9.99"}),
        ["all: image_versions: found kafka 3.9.99; allowed: a version with checksums in images/"],
    ),
    "an unknown key of image versions": (
        put_everywhere("image_versions", {"kafak": "3.8.1"}),
        ["all: image_versions: found key kafak; allowed: keys of versions.yml: "],
    ),
    "image versions that are no mapping": (
        put_everywhere("image_versions", "3.8.1"),
        ["all: image_versions: found '3.8.1'; allowed: a mapping of keys of versions.yml"],
    ),
    "a typo of a topic's key": (
        topic("payments", config={"retention.mss": 5}),
        ["kafka1: kafka_content_topics.payments.config.retention.mss: found a key that topics of "
         "Kafka 3.9 do not have; allowed: retention.ms (did you mean that?)"],
    ),
    "an unknown topic key": (
        topic("payments", config={"colour": "red"}),
        ["topics of Kafka 3.9 do not have; allowed: one of cleanup.policy, compression.gzip"],
    ),
    "a broker's key at a topic": (
        topic("payments", config={"log.retention.hours": 5}),
        ["payments.config.log.retention.hours: found a key of brokers; allowed: retention.ms, the "
         "key of topics"],
    ),
    "a broker's key at a topic, without one of topics": (
        topic("payments", config={"num.io.threads": 5}),
        ["found a key of brokers, which topics do not have; allowed: this key in "
         "kafka_broker_properties"],
    ),
    "an unknown key in the defaults of topics": (
        put("kafka1", "kafka_content_defaults", {"partitions": 6, "config": {"segmnt.ms": 5}}),
        ["kafka1: kafka_content_defaults.config.segmnt.ms: found a key that topics of Kafka"],
    ),
}  # fmt: skip

RATE = "client.quota.callback.static.produce"
REPORTER = "com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter"


def with_plugin(key: str, **others: object):
    """Declare a key on all brokers, with a class of a plugin."""
    own = {"org.apache.kafka.common.metrics.JmxReporter", REPORTER}
    return put_everywhere(PROPERTIES, {"metric.reporters": sorted(own), key: 1, **others})


FAULTS |= {
    "a typo, with a plugin": (
        with_plugin("num.io.treads"),
        ["all: kafka_broker_properties[num.io.treads]: found a key that Kafka 3.9 does not "
         "have, and ignores; allowed: num.io.threads (did you mean that?)"],
    ),
    "a typo of a key that names a plugin": (
        put_everywhere(PROPERTIES, {"metric.reporter": REPORTER}),
        ["allowed: metric.reporters (did you mean that?)"],
    ),
    "an unknown key with one of Kafka's classes": (
        put_everywhere(PROPERTIES, {
            "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
            "cruise.control.metrics.topic": "x",
        }),
        ["found a key that Kafka 3.9 does not have, and ignores; allowed: a key of Kafka, or"],
    ),
    "a typo, with an own image": (
        lambda site: [plant(site) for plant in (
            put_everywhere("kafka_broker_image", "registry.example:5000/kafka:v3.8.1-debian"),
            put_everywhere(PROPERTIES, {"share.coordinator.threads": 2}),
        )],
        ["found a key that Kafka 3.8 does not have, and ignores"],
    ),
}  # fmt: skip

NOTES: Faults = {
    "a key of a plugin": (
        with_plugin("cruise.control.metrics.topic"),
        ["all: kafka_broker_properties[cruise.control.metrics.topic]: found a key that Kafka "
         f"3.9 does not have; {REPORTER} may read it; recommended: its name, or its prefix with "
         "*, in kafka_broker_extra_keys"],
    ),
    "an image without a version": (
        lambda site: [plant(site) for plant in (
            put_everywhere("kafka_broker_image", "registry.example:5000/kafka@sha256:ab"),
            put_everywhere(PROPERTIES, {"num.io.treads": 2}),
        )],
        ["all: kafka_broker_image: not checked: names of keys of Kafka in an image whose tag "
         "has no version; known are those of 3.8, 3.9"],
    ),
    "a version whose keys are not recorded": (
        newer,
        ["kafka: image_versions: not checked: names of keys of Kafka 9.1; known are those of "
         "3.8, 3.9"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_once(name):
    plant, parts = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1
    assert all(part in found[0] for part in parts), found


@pytest.mark.parametrize("name", NOTES)
def test_unchecked_keys_are_a_note(name):
    plant, parts = NOTES[name]
    site = ValidSite()
    plant(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == parts


@pytest.mark.parametrize(
    "key",
    [
        "num.io.threads",
        "super.users",
        "allow.everyone.if.no.acl.found",
        "metrics.jmx.include",
        "group.share.enable",
        "config.providers",
        "config.providers.files.class",
        "metrics.context.label",
        "kafka.csv.metrics.dir",
        "authorizer.zookeeper.url",
        "rsm.config.storage.bucket.name",
        "listener.name.clients.max.connections",
        "listener.name.clients.scram-sha-512.sasl.jaas.config",
    ],
)
def test_keys_that_brokers_read_are_accepted(key):
    site = ValidSite()
    put_everywhere(PROPERTIES, {key: "100"})(site)
    assert problems(site) == []


@pytest.mark.parametrize("extra", ["com.example.level", "com.example.*"])
def test_keys_of_plugins_are_accepted_if_declared(extra):
    site = ValidSite()
    put_everywhere(PROPERTIES, {"com.example.level": 1})(site)
    assert len(problems(site)) == 1
    put_everywhere("kafka_broker_extra_keys", [extra])(site)
    assert problems(site) == []


@pytest.mark.parametrize("release", recorded_releases())
def test_recorded_keys_are_complete(release):
    keys = read_keys(release)
    assert keys is not None
    assert len(keys.brokers) > 300
    assert len(keys.topics) > 30
    assert keys.topics["retention.ms"][0] == "log.retention.ms"


def test_newest_recorded_keys_include_all_that_a_running_broker_changes():
    keys = read_keys(recorded_releases()[-1])
    assert keys is not None
    assert set(LIVE_KEYS) <= keys.brokers


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("client.quota.callback.class", "io.strimzi.kafka.quotas.StaticQuotaCallback"),
        ("authorizer.class.name", "com.example.Authorizer"),
        ("listener.name.clients.principal.builder.class", "com.example.Builder"),
        ("metric.reporters", f"org.apache.kafka.common.metrics.JmxReporter, {REPORTER}"),
    ],
)
@pytest.mark.parametrize(
    "key",
    [RATE, "client.quota.callback.static.storage.check-interval", "confluent.license.topic"],
)
def test_keys_of_plugins_are_no_faults(variable, value, key):
    site = ValidSite()
    put_everywhere(PROPERTIES, {key: 1})(site)
    assert len(problems(site)) == 1
    put_everywhere(PROPERTIES, {key: 1, variable: value})(site)
    assert problems(site) == []


@pytest.mark.parametrize("manager", ["storage", "metadata"])
def test_keys_with_a_declared_prefix_are_accepted(manager):
    site = ValidSite()
    named = f"remote.log.{manager}.manager.impl.prefix"
    put_everywhere(PROPERTIES, {"tiers.bucket": "a"})(site)
    assert len(problems(site)) == 1
    put_everywhere(PROPERTIES, {"tiers.bucket": "a", named: "tiers."})(site)
    assert (problems(site), problems(site, fatal=False)) == ([], [])
