"""Each fault is planted alone in a valid site; the message has host, variable, value and remedy."""

import copy
import datetime
from typing import Any

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import wanted_paths
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import UnreadableVariable
from preflight_sites import (
    GIB,
    Faults,
    ValidSite,
    drop,
    fact,
    full,
    leave,
    listener,
    pipeline,
    place,
    problems,
    put,
    put_everywhere,
    topic,
)


class TaggedList(list):
    """A subclass of list, as Ansible's inventory returns."""


def test_valid_site_has_no_problems_and_no_notes():
    assert problems(ValidSite()) == []
    assert problems(ValidSite(), fatal=False) == []


def test_lowest_allowed_connection_limits_are_accepted():
    site = ValidSite()
    limits = {
        "max.connections": "100",
        "max.connections.per.ip": 1,
        "max.connection.creation.rate": 10,
    }
    for host in ("kafka1", "kafka2", "kafka3"):
        site.hosts[host]["kafka_broker_properties"] = {
            **limits,
            "listener.name.clients.max.connections": None,
        }
    assert problems(site) == []


def test_undeclared_topics_of_site_without_brokers_name_empty_group():
    site = ValidSite()
    site.groups["kafka"] = []
    found = problems(site)
    assert found
    assert all("none so far, as group kafka has no host" in line for line in found)


def test_broker_whose_properties_drop_common_keys_is_named():
    site = ValidSite()
    for host in ("kafka1", "kafka3"):
        site.hosts[host]["kafka_broker_properties"] = {"num.io.threads": 16, "log.retention.ms": 9}
    site.hosts["kafka2"]["kafka_broker_properties"] = {"num.io.threads": 8}
    assert problems(site, fatal=False) == [
        "kafka2: kafka_broker_properties: found no log.retention.ms, which other brokers have; "
        "recommended: the same keys on all brokers, null to unset one; additional keys in "
        "kafka_broker_host_properties"
    ]
    for host in ("kafka1", "kafka2", "kafka3"):
        site.hosts[host]["kafka_broker_properties"] = {"num.io.threads": 16}
    site.hosts["kafka2"]["kafka_broker_host_properties"] = {"log.retention.ms": 9}
    assert problems(site, fatal=False) == []


FAULTS: Faults = {
    "an option of another type": (
        put("kafka2", "kafka_broker_image", {"a": 1}),
        ["kafka_broker_image: found a mapping; allowed: a text"],
    ),
    "a user of an unknown service": (
        put("kafka2", "service_uids", {"zookeper": 10020}),
        ["kafka2: service_uids: found zookeper; allowed: alertmanager, "],
    ),
    "root as a user": (
        put("kafka2", "service_uids", {"zookeeper": 0}),
        ["kafka2: service_uids.zookeeper: found 0; allowed: a user id above 0"],
    ),
    "one user for two services": (
        put("kafka2", "service_uids", {"zookeeper": 10001}),
        ["kafka2: service_uids.zookeeper: found 10001, the user of kafka_broker; allowed: one of "
         "its own"],
    ),
    "a user without a name": (
        put("kafka2", "service_uids", {"spark_worker": 20000}),
        ["kafka2: service_uids.spark_worker: found 20000; allowed: 10001 to 10999"],
    ),
    "users that are not a mapping": (
        put("kafka2", "service_uids", 10001),
        ["kafka2: service_uids: found 10001; allowed: user ids by service"],
    ),
    "no connections on one broker": (
        put("kafka2", "kafka_broker_host_properties", {"max.connections": 0}),
        ["kafka2: kafka_broker_host_properties[max.connections]: found 0"],
    ),
    "no connections": (
        put("kafka2", "kafka_broker_properties", {"max.connections": 0}),
        ["kafka2: kafka_broker_properties[max.connections]: found 0; allowed: a whole number from "
         "100 to 2147483647, or null for no limit"],
    ),
    "a negative connection limit": (
        put_everywhere("kafka_broker_properties", {"max.connections": "-1"}),
        ["all: kafka_broker_properties[max.connections]: found '-1'; allowed: a whole number "
         "from 100"],
    ),
    "one connection on a listener": (
        put("kafka2", "kafka_broker_properties", {"listener.name.clients.max.connections": 1}),
        ["kafka2: kafka_broker_properties[listener.name.clients.max.connections]: found 1; "
         "allowed: a whole number from 100"],
    ),
    "a connection limit that is not a number": (
        put("kafka2", "kafka_broker_properties", {"max.connections": "many"}),
        ["kafka2: kafka_broker_properties[max.connections]: found 'many'"],
    ),
    "no connection from one address": (
        put("kafka2", "kafka_broker_properties", {"max.connections.per.ip": 0}),
        ["kafka2: kafka_broker_properties[max.connections.per.ip]: found 0; allowed: a whole "
         "number from 1 to"],
    ),
    "no new connection a second": (
        put("kafka2", "kafka_broker_properties",
            {"listener.name.brokers.max.connection.creation.rate": 0}),
        ["kafka2: kafka_broker_properties[listener.name.brokers.max.connection.creation.rate]: "
         "found 0; allowed: a whole number from 10 to"],
    ),
    "one open file": (
        put("kafka2", "kafka_broker_nofile", 1),
        ["kafka2: kafka_broker_nofile: found 1; allowed: a whole number from 200, or 0 for the "
         "engine's own limit"],
    ),
    "two brokers with one id": (
        put("kafka3", "kafka_broker_id", 1),
        ["kafka3: kafka_broker_id: found 1, which kafka1 also has; allowed: a whole number of its "
         "own from 0 to 1000"],
    ),
    "two servers with one id": (
        put("zk2", "zookeeper_server_id", 1),
        ["zk2: zookeeper_server_id: found 1, which zk1 also has; allowed: a whole number of its "
         "own from 1 to 255"],
    ),
    "a broker without id": (
        drop("kafka2", "kafka_broker_id"),
        ["kafka2: kafka_broker_id: found nothing", "from 0 to 1000"],
    ),
    "a server id out of range": (
        put("zk2", "zookeeper_server_id", 256),
        ["zk2: zookeeper_server_id: found 256; allowed: ", "from 1 to 255"],
    ),
    "a broker id from Kafka's own range": (
        put("kafka2", "kafka_broker_id", 1001),
        ["kafka2: kafka_broker_id: found 1001", "from 0 to 1000"],
    ),
    "an id that is not a number": (
        put("kafka2", "kafka_broker_id", "two"),
        ["kafka2: kafka_broker_id: found 'two'", "a whole number"],
    ),
    "an even ensemble": (
        leave("zookeeper", "zk1", "zk2"),
        ["zookeeper: group: found 2 servers (zk1, zk2)", "an odd number"],
    ),
    "an empty ensemble": (
        leave("zookeeper"),
        ["zookeeper: group: found no server", "1, 3 or 5"],
    ),
    "an unknown variable of a role": (
        put("kafka1", "kafka_broker_hepa", "4g"),
        ["kafka1: kafka_broker_hepa: found a variable that is not an option of role kafka_broker; "
         "allowed: kafka_broker_heap (did you mean that?)"],
    ),
    "a renamed variable": (
        put("kafka1", "roll_mark_seconds", 7200),
        ["kafka1: roll_mark_seconds: found a variable of an earlier release; "
         "allowed: roll_silence_seconds in its place"],
    ),
    "a typo of a site variable": (
        put("kafka1", "port_ofset", 100),
        ["kafka1: port_ofset: found an unknown variable that looks like port_offset",
         "allowed: port_offset"],
    ),
    "a cluster name with a character not allowed in container names": (
        put_everywhere("cluster_name", "My_Cluster"),
        ["cluster_name: found 'My_Cluster'", "lower-case letters, digits and inner hyphens"],
    ),
    "two cluster names": (
        put("kafka2", "cluster_name", "test"),
        ["all: cluster_name: found 'prod-1', 'test'; allowed: one name for all hosts"],
    ),
    "an unknown metadata mode": (
        put_everywhere("kafka_metadata_mode", "zookeper"),
        ["all: kafka_metadata_mode: found 'zookeper'", "zookeeper (did you mean that?)"],
    ),
    "an unknown key of a topic": (
        topic("payments", retension="7d"),
        ["kafka1: kafka_content_topics.payments.retension: found an unknown key",
         "retention (did you mean that?)", "under config"],
    ),
    "an unknown key of the defaults": (
        put("kafka1", "kafka_content_defaults", {"replicas": 3}),
        ["kafka1: kafka_content_defaults.replicas: found an unknown key", "replication"],
    ),
    "a topic that is a number": (
        lambda site: site.topics().update(payments=6),
        ["kafka1: kafka_content_topics.payments: found 6; allowed: a mapping"],
    ),
    "topics as a list": (
        put("kafka1", "kafka_content_topics", TaggedList(["payments"])),
        ["kafka1: kafka_content_topics: found a list; allowed: a mapping"],
    ),
    "properties of a broker as a list": (
        put("kafka1", "kafka_broker_properties", TaggedList(["a"])),
        ["kafka1: kafka_broker_properties: found a list; allowed: a dict"],
    ),
    "an invalid topic name": (
        topic("pay ments"),
        ["kafka1: kafka_content_topics.pay ments: found the name 'pay ments'", "1 to 249 letters"],
    ),
    "a topic name that is too long": (
        topic("a" * 250),
        [f"found the name '{'a' * 250}'", "1 to 249 letters"],
    ),
    "an internal topic of Kafka": (
        topic("__consumer_offsets"),
        ["found the name '__consumer_offsets'", "names that are not Kafka's own"],
    ),
    "a topic name that does not match the site's pattern": (
        topic("Payments"),
        ["kafka1: kafka_content_topics.Payments: found the name 'Payments'", "[a-z0-9._-]+"],
    ),
    "topic names that differ only in dot and underscore": (
        lambda site: site.topics().update({"a.b": None, "a_b": None}),
        ["kafka1: kafka_content_topics.a_b: found a name that collides with a.b"],
    ),
    "a pattern that is not a regular expression": (
        put("kafka1", "kafka_content_name_pattern", "[a-z"),
        ["kafka1: kafka_content_name_pattern: found '[a-z'", "a regular expression"],
    ),
    "no partitions": (
        topic("payments", partitions=0),
        ["kafka1: kafka_content_topics.payments.partitions: found 0; allowed: a whole number"],
    ),
    "a retention in years": (
        topic("payments", retention="1y"),
        ["kafka1: kafka_content_topics.payments.retention: found '1y'", "7d or 36h"],
    ),
    "a retention size that is no number": (
        topic("payments", retention_size="ten"),
        ["kafka1: kafka_content_topics.payments.retention_size: found 'ten'", "10GB or 512MiB"],
    ),
    "an unknown cleanup policy": (
        topic("payments", cleanup="compaction"),
        ["kafka1: kafka_content_topics.payments.cleanup: found 'compaction'", "delete, compact"],
    ),
    "a key in addition to Kafka's name of it": (
        topic("payments", retention="7d", config={"retention.ms": 1}),
        ["kafka1: kafka_content_topics.payments.retention: found '7d' and config.retention.ms 1",
         "one of the two, which are the same key"],
    ),
    "an unknown role": (
        put("kafka1", "kafka_content_users", {"alice": {"roles": [{"producr": "payments"}]}}),
        ["kafka1: kafka_content_users.alice.roles[0]: found 'producr'; allowed: producer (did"],
    ),
    "a topic that is declared and also declared absent": (
        put("kafka1", "kafka_content_absent", {"topics": ["payments"]}),
        ["kafka1: kafka_content_absent.topics[0]: found 'payments'; allowed: names that are not"],
    ),
    "more replicas than brokers": (
        topic("payments", replication=4),
        ["kafka1: kafka_content_topics.payments.replication: found 4; allowed: 1 to 3, the number "
         "of brokers"],
    ),
    "a placement on more brokers than there are": (
        lambda site: site.topics().update(payments={"placement": [[1, 2, 3, 4]]}),
        ["kafka1: kafka_content_topics.payments.placement: found 4; allowed: 1 to 3, the number "],
    ),
    "more replicas than brokers, from the defaults": (
        put("kafka1", "kafka_content_defaults", {"replication": 4}),
        ["kafka1: kafka_content_defaults.replication: found 4; allowed: 1 to 3, the number of"],
    ),
    "more acknowledgements than replicas": (
        topic("payments", replication=2, min_insync=3),
        ["kafka1: kafka_content_topics.payments.min_insync: found 3; allowed: 1 to 2"],
    ),
    "more acknowledgements than replicas, from the defaults": (
        topic("payments", replication=1),
        ["payments.min_insync: found 2, from kafka_content_defaults; allowed: 1 to 1"],
    ),
    "more acknowledgements than replicas, with Kafka's key": (
        topic("payments", replication=2, config={"min.insync.replicas": 3}),
        ["kafka1: kafka_content_topics.payments.min_insync: found 3", "allowed: 1 to 2"],
    ),
    "brokers' default of more replicas than brokers": (
        put("kafka2", "kafka_broker_properties", {"default.replication.factor": 4}),
        ["kafka2: kafka_broker_properties[default.replication.factor]: found 4; allowed: 1 to 3"],
    ),
    "brokers' default of more acknowledgements than replicas": (
        put("kafka2", "kafka_broker_properties", {"min.insync.replicas": 4}),
        ["kafka2: kafka_broker_properties[min.insync.replicas]: found 4; allowed: 1 to 3"],
    ),
    "offsets on more brokers than there are": (
        put("kafka2", "kafka_broker_properties", {"offsets.topic.replication.factor": "5"}),
        ["kafka_broker_properties[offsets.topic.replication.factor]: found 5; allowed: 1 to 3"],
    ),
    "transactions with more acknowledgements than replicas": (
        put("kafka2", "kafka_broker_properties", {"transaction.state.log.replication.factor": 1}),
        ["kafka_broker_properties[transaction.state.log.min.isr]: found 2, which role kafka_broker "
         "sets; allowed: 1 to 1"],
    ),
    "an unknown key of a pipeline": (
        pipeline(triger="1 second"),
        ["pipeline: pipeline_pipelines.payments.triger: found an unknown key",
         "trigger (did you mean that?)"],
    ),
    "a pipeline with its own authentication": (
        pipeline(kafka_options={"sasl.jaas.config": "x"}),
        ["pipeline: pipeline_pipelines.payments.kafka_options.sasl.jaas.config: found a hidden "
         "value; allowed: nothing"],
    ),
    "a pipeline with its own checkpoint root": (
        pipeline(checkpoint_root="/mine"),
        ["pipeline: pipeline_pipelines.payments.checkpoint_root: found /mine; allowed: nothing"],
    ),
    "a port of an undeclared pipeline": (
        put("driver1", "pipeline_status_ports", {"paymets": 4060}),
        ["pipeline: pipeline_status_ports: found paymets", "payments (did you mean that?)"],
    ),
    "an invalid port of a pipeline": (
        put("driver1", "pipeline_status_ports", {"payments": 70000}),
        ["pipeline: pipeline_status_ports.payments: found 70000; allowed: 1 to 65535"],
    ),
    "a pipeline's port that another service uses": (
        put("driver1", "pipeline_status_ports", {"payments": 8081}),
        ["pipeline_status_ports.payments: found", "8081"],
    ),
    "pipelines as a list": (
        put("driver1", "pipeline_pipelines", ["payments"]),
        ["pipeline: pipeline_pipelines: found ['payments']; allowed: a mapping by name"],
    ),
    "a pipeline that reads an undeclared topic": (
        pipeline(source={"topic": "payment", "format": "json", "schema": "id STRING, p DOUBLE"}),
        ["pipeline: pipeline_pipelines.payments.source.topic: found topic payment, which is not "
         "declared", "payments (did you mean that?)"],
    ),
    "a pipeline that writes an undeclared topic": (
        lambda site: site.pipeline()["outputs"]["fraud"].update(topic="nowhere"),
        ["pipeline: pipeline_pipelines.payments.outputs.fraud.topic: found topic nowhere",
         "frauds, payments, payments-invalid"],
    ),
    "a pipeline whose invalid records have no topic": (
        pipeline(invalid="lost"),
        ["pipeline: pipeline_pipelines.payments.invalid: found topic lost"],
    ),
    "more cores than workers have": (
        pipeline(resources={"cores": 8}),
        ["pipeline: pipeline_pipelines.*.resources.cores: found 8 cores (driver1: payments 8)",
         "at most 6"],
    ),
    "no log dir": (
        put("kafka2", "kafka_broker_log_dirs", []),
        ["kafka2: kafka_broker_log_dirs: found nothing; allowed: a value"],
    ),
    "an invalid port": (
        put("zk2", "zookeeper_client_port", 70000),
        ["zk2: zookeeper_client_port: found 70000; allowed: a whole number from 1 to 65535"],
    ),
    "an address that YAML reads as a date": (
        lambda site: site.hosts["kafka2"]["kafka_broker_listeners"]["CLIENTS"].update(
            advertise=datetime.date(2024, 1, 1)),
        ["kafka2: kafka_broker_listeners.CLIENTS.advertise: found datetime.date(2024, 1, 1); "
         "allowed: a text, in quotes"],
    ),
    "a listener with an unknown key": (
        lambda site: site.hosts["kafka2"]["kafka_broker_listeners"]["CLIENTS"].update(host="x"),
        ["kafka2: kafka_broker_listeners.CLIENTS: found the keys advertise, bind, host, port",
         "exactly bind, advertise, port, and protocol where it differs"],
    ),
    "one port twice on one server": (
        put("zk2", "zookeeper_peer_port", 3888),
        ["zk2: zookeeper_election_port: found port 3888, which zookeeper_peer_port of zk2 also "
         "uses",
         "a port that is free on the machine m2"],
    ),
    "a broker's port on a server's": (
        lambda site: site.hosts["kafka2"]["kafka_broker_listeners"]["CLIENTS"].update(port=2181),
        ["kafka2: kafka_broker_listeners.CLIENTS.port: found port 2181, which "
         "zookeeper_client_port of zk2 also uses"],
    ),
    "an invalid port of a metrics agent": (
        put("kafka2", "kafka_broker_metrics_port", "off"),
        ["kafka2: kafka_broker_metrics_port: found 'off'; allowed: a whole number from 1 to 65535"],
    ),
    "a metrics agent on the port of a web page": (
        put("worker1", "spark_worker_metrics_port", 8081),
        ["worker1: spark_worker_metrics_port: found port 8081, which spark_worker_ui_port of "
         "worker1 also uses"],
    ),
    "a foreign process on a port": (
        listener(9092),
        ["kafka2: kafka_broker_listeners.CLIENTS.port: found port 9092, used on m2 by process java",
         "a container of cluster prod-1"],
    ),
    "another cluster on a port": (
        listener(9092, container="test-kafka1", cluster="test"),
        ["used on m2 by container test-kafka1 of cluster test; allowed: a free port"],
    ),
    "one log dir twice": (
        put("kafka2", "kafka_broker_log_dirs", ["/data/1", "/data/1/"]),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/1, which is kafka_broker_log_dirs[0] of "
         "kafka2", "a directory of its own on the machine m2"],
    ),
    "a data dir inside another": (
        put("zk2", "zookeeper_log_dir", "/var/lib/zk/data/log"),
        ["zk2: zookeeper_log_dir: found /var/lib/zk/data/log, which contains or is inside "
         "zookeeper_data_dir of zk2 (/var/lib/zk/data)"],
    ),
    "a relative log dir": (
        put("kafka2", "kafka_broker_log_dirs", ["data/1"]),
        ["kafka2: kafka_broker_log_dirs[0]: found 'data/1'; allowed: an absolute path"],
    ),
    "a log dir on the root disk": (
        place("/data/2", mount="/", disk="sda", system=True),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2, which is on the disk of the operating "
         "system (/)", "metal_allow_root_disk: true"],
    ),
    "a log dir on the partition of /var": (
        place("/data/2", mount="/var", disk="sda"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2", "operating system (/var)"],
    ),
    "too little memory for the heaps": (
        fact("memory", 6 * GIB),
        ["m2: memory: found 7.0 GiB required by 3 containers, the largest are kafka2 4.0 GiB "
         "(kafka_broker_heap), worker2 2.0 GiB", "at most 5.5 GiB: the machine has 6.0 GiB"],
    ),
    "a heap with a unit that the JVM rejects": (
        put("kafka2", "kafka_broker_heap", "4GB"),
        ["kafka2: kafka_broker_heap: found '4GB'; allowed: a whole number with k, m or g"],
    ),
    "an invalid memory limit": (
        put("zk2", "zookeeper_memory", "lots"),
        ["zk2: zookeeper_memory: found 'lots'", "1536m or 6g; empty for no limit"],
    ),
    "a Spark setting without Spark's prefix": (
        put("driver1", "pipeline_spark_options", {"sql.shuffle.partitions": 4}),
        ["pipeline: pipeline_spark_options.sql.shuffle.partitions: found a name that Spark "
         "ignores; "
         "allowed: names that start with spark., such as spark.sql.shuffle.partitions"],
    ),
    "two spellings of a Kafka option of all pipelines": (
        put("driver1", "pipeline_kafka_options", {"acks": "all", "kafka.acks": "1"}),
        ["pipeline: pipeline_kafka_options.kafka.acks: found another spelling of acks; allowed: "
         "one "
         "spelling of each option: upper case and the prefix kafka. make no difference"],
    ),
    "a silence of one second": (
        put_everywhere("roll_silence_seconds", 1),
        ["all: roll_silence_seconds: found 1; allowed: 300 to 600"],
    ),
    "an invalid heap of a worker itself": (
        put("worker2", "spark_daemon_memory", "lots"),
        ["worker2: spark_daemon_memory: found 'lots'"],
    ),
    "a worker whose executors and own heap do not fit into its container": (
        lambda site: site.hosts["worker2"].update(
            spark_worker_memory="2g", spark_daemon_memory="256m", spark_memory="2304m"
        ),
        ["worker2: spark_worker_memory: found 2g and 256 MiB (spark_daemon_memory), not less "
         "than the container's limit (spark_memory: 2304m); allowed: less than 2304m in total"],
    ),
    "a heap as large as its container": (
        put("zk2", "zookeeper_heap", "1g"),
        ["zk2: zookeeper_heap: found 1g, not less than the container's limit", "less than 1g"],
    ),
    "an unsupported system": (
        fact("system", {"id": "debian", "version": "11", "name": "Debian GNU/Linux 11"}),
        ["m2: /etc/os-release: found Debian GNU/Linux 11; allowed: debian 12 or 13"],
    ),
    "an unsupported architecture": (
        fact("architecture", "armv7l"),
        ["m2: architecture: found armv7l; allowed: aarch64 or x86_64"],
    ),
    "an old Python": (
        fact("python", "3.8.10"),
        ["m2: python: found 3.8.10; allowed: 3.9 or newer"],
    ),
    "a full disk under the engine": (
        full("/var/lib/docker"),
        ["m2: engine: found 100 MiB free for /var/lib/docker (file system /)",
         "at least 4.0 GiB (preflight_free_engine)"],
    ),
    "a full disk under a log dir": (
        full("/data/1"),
        ["kafka2: kafka_broker_log_dirs[0]: found 100 MiB free for /data/1 (file system /data/1)",
         "at least 512 MiB (preflight_free_data)"],
    ),
    "a preflight limit that is not a size": (
        put("m2", "preflight_free_data", "much"),
        ["m2: preflight_free_data: found 'much'; allowed: a number with k, m, g or t"],
    ),
    "a broker on a machine outside group metal": (
        put("kafka2", "ansible_host", "10.9.9.9"),
        ["kafka2: ansible_host: found 10.9.9.9, which is not a machine of group metal",
         "an address of m1, m2, m3"],
    ),
    "no machines": (
        leave("metal"),
        ["metal: group: found no host"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_with_host_value_and_remedy(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    for text in expected:
        assert text in found[0]


def several_outputs(cores):
    """A pipeline with two outputs."""

    def plant(site):
        site.pipeline()["outputs"]["all"] = {"path": "all"}
        pipeline(resources={"cores": cores, "driver_memory": "1g"})(site)

    return plant


NOTES = {
    "several outputs on one core": (
        several_outputs(cores=1),
        "pipeline: pipeline_pipelines.payments.resources.cores: found 1 core for 2 outputs: all "
        "wait while one target is unreachable; recommended: 2, so that the other outputs continue",
    ),
}


@pytest.mark.parametrize("name", NOTES)
def test_working_but_improvable_setting_is_a_note(name):
    plant, expected = NOTES[name]
    site = ValidSite()
    plant(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == [expected]


def test_several_outputs_on_two_cores_are_accepted():
    site = ValidSite()
    several_outputs(cores=2)(site)
    assert problems(site, fatal=False) == []


def test_one_machine_runs_every_service_on_separate_ports_and_paths():
    site = ValidSite()
    site.groups["metal"] = ["localhost"]
    site.hosts = {h: v for h, v in site.hosts.items() if h not in ("m1", "m2", "m3")}
    site.hosts["localhost"] = {"cluster_name": "prod-1"}
    for number in (1, 2, 3):
        server, broker = site.hosts[f"zk{number}"], site.hosts[f"kafka{number}"]
        worker = site.hosts[f"worker{number}"]
        server.update(
            zookeeper_client_port=2180 + number,
            zookeeper_peer_port=2887 + number,
            zookeeper_election_port=3887 + number,
            zookeeper_data_dir=f"/srv/zk{number}/data",
            zookeeper_log_dir=f"/srv/zk{number}/log",
        )
        for base, at in zip((9091, 9191), broker["kafka_broker_listeners"].values(), strict=True):
            at["port"] = base + number
        broker["kafka_broker_log_dirs"] = [f"/srv/kafka{number}/1", f"/srv/kafka{number}/2"]
        worker.update(
            spark_worker_port=7080 + number,
            spark_worker_ui_port=8080 + number,
            spark_work_dir=f"/srv/worker{number}",
        )
    for host in site.hosts.values():
        host["ansible_connection"] = "local"
        host["metal_allow_root_disk"] = True
    place = {"mount": "/", "device": "/dev/vda", "system": True, "free": 99 * GIB}
    paths = dict.fromkeys(wanted_paths(site.hosts, site.groups), place)
    site.facts = {"localhost": {**site.facts["m1"], "paths": paths}}
    assert problems(site) == []
    assert problems(site, fatal=False) == []

    site.hosts["kafka2"]["kafka_broker_log_dirs"][0] = "/srv/kafka1/1"
    site.hosts["kafka3"]["kafka_broker_listeners"]["CLIENTS"]["port"] = 9093
    found = problems(site)
    assert len(found) == 2
    assert "found port 9093, which kafka_broker_listeners.CLIENTS.port of kafka2 also" in found[0]
    assert "/srv/kafka1/1, which is kafka_broker_log_dirs[0] of kafka1" in found[1]


def test_hosts_with_different_addresses_of_one_machine_share_it():
    site = ValidSite()
    site.hosts["kafka2"]["ansible_host"] = "broker-two.example"
    site.facts["m2"]["addresses"].append("broker-two.example")
    site.hosts["kafka2"]["kafka_broker_listeners"]["CLIENTS"]["port"] = 2181
    assert "of zk2 also uses" in "".join(problems(site))


def test_one_address_with_two_ssh_ports_is_two_machines():
    site = ValidSite()
    for number in (1, 2, 3):
        for host in (f"m{number}", f"zk{number}", f"kafka{number}", f"worker{number}"):
            site.hosts[host].update(ansible_host="127.0.0.1", ansible_port=2200 + number)
    for host in ("master1", "driver1"):
        site.hosts[host].update(ansible_host="127.0.0.1", ansible_port=2201)
    assert problems(site) == []


def test_one_port_on_two_addresses_is_no_conflict():
    site = ValidSite()
    site.hosts["zk1"].update(zookeeper_bind_address="10.0.0.1", zookeeper_client_port=8081)
    site.hosts["worker1"]["spark_address"] = "127.0.0.1"
    assert problems(site) == []
    site.hosts["worker1"]["spark_address"] = "0.0.0.0"
    assert "found port 8081" in "".join(problems(site))


def test_port_used_by_own_container_is_accepted():
    site = ValidSite()
    listener(9092, container="prod-1-kafka2", cluster="prod-1")(site)
    assert problems(site) == []


def test_port_with_unknown_owner_is_a_note():
    site = ValidSite()
    listener(9092, process=None)(site)
    assert problems(site) == []
    assert "used on m2 by an unknown process" in problems(site, fatal=False)[0]


def test_each_pipeline_of_a_driver_host_uses_the_next_port():
    site = ValidSite()
    pipelines = site.hosts["driver1"]["pipeline_pipelines"]
    pipelines["second"] = {**copy.deepcopy(pipelines["payments"]), "resources": {"cores": 1}}
    site.hosts["worker1"]["spark_worker_port"] = 4051
    assert "found port 4051, which spark_worker_port of worker1 also uses" in problems(site)[0]


def test_without_name_pattern_any_valid_topic_name_is_allowed():
    site = ValidSite()
    site.hosts["kafka1"]["kafka_content_name_pattern"] = ""
    assert problems(site) == []


def test_schema_from_sample_is_not_checked_before_rendering():
    site = ValidSite()
    site.pipeline()["source"].update(schema={"sample": "flights.csv"}, event_time="departure")
    assert problems(site) == []
    site.pipeline()["source"]["schema"] = {"example": "flights.csv"}
    assert "pipeline_pipelines.payments.source.schema: found" in problems(site)[0]


def test_data_on_root_disk_is_allowed_by_variable():
    site = ValidSite()
    plant, _ = FAULTS["a log dir on the root disk"]
    plant(site)
    site.hosts["kafka2"]["metal_allow_root_disk"] = "false"
    assert len(problems(site)) == 1
    site.hosts["kafka2"]["metal_allow_root_disk"] = True
    assert problems(site) == []


def test_unknown_variable_of_a_site_can_be_allowed():
    site = ValidSite()
    site.hosts["kafka1"]["kafka_broker_hepa"] = "4g"
    site.hosts["kafka1"]["preflight_known_variables"] = ["kafka_broker_hepa"]
    assert problems(site) == []


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("system", "m2: operating system: not checked: the machine did not report it"),
        ("architecture", "m2: architecture: not checked"),
        ("python", "m2: python: not checked"),
        ("memory", "m2: memory: not checked"),
        ("paths", "m2: file systems: not checked"),
        ("listeners", "m2: listening ports: not checked"),
    ],
)
def test_missing_fact_is_a_note(missing, expected):
    site = ValidSite()
    del site.facts["m2"][missing]
    assert problems(site) == []
    assert expected in "\n".join(problems(site, fatal=False))


def test_machines_outside_the_run_are_noted_once_each():
    site = ValidSite()
    site.facts = {"m1": site.facts["m1"]}
    assert problems(site) == []
    assert problems(site, fatal=False) == [
        f"{machine}: everything on it: not checked: the machine is not part of this run"
        for machine in ("m2", "m3")
    ]


class Failing(dict[str, Any]):
    """Variables with one whose template fails."""

    def get(self, name: str, default: Any = None) -> Any:
        if name == "kafka_broker_heap":
            raise UnreadableVariable("'ram' is undefined")
        return super().get(name, default)


def test_failing_template_is_reported_once_and_other_checks_run():
    site = ValidSite()
    site.hosts["kafka2"] = Failing({**site.hosts["kafka2"], "kafka_broker_id": 1})
    found = problems(site)
    assert len(found) == 2
    assert "kafka2: kafka_broker_id: found 1, which kafka1 also has" in found[0]
    assert "kafka2: kafka_broker_heap: found a template that fails: 'ram' is undefined" in found[1]


def test_moved_engine_directory_is_inspected():
    site = ValidSite()
    site.hosts["m2"]["docker_daemon_options"] = {"data-root": "/data/docker"}
    assert "/data/docker" in wanted_paths(site.hosts, site.groups)


def test_every_directory_is_inspected():
    assert wanted_paths(ValidSite().hosts, ValidSite().groups) == [
        "/data/1",
        "/data/2",
        "/var/lib/docker",
        "/var/lib/spark/driver",
        "/var/lib/spark/worker",
        "/var/lib/zk/data",
        "/var/lib/zk/log",
    ]
