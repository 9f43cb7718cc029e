"""Declarations of pipelines become documents of drivers, or are refused with the reason."""

from pathlib import Path

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.pipeline import (
    pipeline_document,
    session_settings,
)
from kafka_metal_declarations.client_options import ALLOWED_SPARK
from kafka_metal_declarations.declaration import find_problems

DECLARED = {
    "source": {"topic": "in", "schema": "id STRING"},
    "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
    "invalid": "bad",
}
SITE = {
    "bootstrap": ["broker1:9093"],
    "checkpoint_root": "/shared/checkpoints",
    "archive_root": "/shared/archive",
    "kafka_options": {"kafka.security.protocol": "SASL_SSL"},
    "spark_options": {"spark.shuffle.readHostLocalDisk": "false"},
}


def document(**changes):
    return pipeline_document(DECLARED | changes, "p", SITE)


def test_a_later_one_of_several_settings_of_the_site_wins():
    found = pipeline_document(DECLARED, "p", SITE, {"status": "a:1"}, {"status": "b:2"})
    assert found == pipeline_document(DECLARED, "p", SITE | {"status": "b:2"})


def test_client_options_of_declaration_and_site_are_merged():
    found = document(
        kafka_options={"max.request.size": "5242880"},
        spark_options={"spark.task.maxFailures": "8"},
    )

    assert found["kafka_options"] == {
        "kafka.security.protocol": "SASL_SSL",
        "max.request.size": "5242880",
    }
    assert found["spark_options"] == {
        "spark.shuffle.readHostLocalDisk": "false",
        "spark.task.maxFailures": "8",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kafka_options": {"security.protocol": "PLAINTEXT"}}, "kafka_options.security.protocol"),
        ({"kafka_options": {"kafka.sasl.jaas.config": "x"}}, "sets each pipeline's credentials"),
        ({"kafka_options": {"bootstrap.servers": "other:9092"}}, "bootstrap.servers"),
        ({"kafka_options": {"SASL.jaas.config": "x"}}, "sets each pipeline's credentials"),
        (
            {"kafka_options": {"KAFKA.Bootstrap.Servers": "other:9092"}},
            "sets each pipeline's credentials",
        ),
        ({"kafka_options": {"interceptor.classes": "x.Y"}}, "names code"),
        ({"kafka_options": {"Metric.Reporters": "x.Y"}}, "names code"),
        ({"kafka_options": {"kafka.key.deserializer": "x.Y"}}, "names code"),
        ({"kafka_options": {"client.id": "${file:/etc/passwd:x}"}}, "a value without"),
        ({"spark_options": {"spark.shuffle.readHostLocalDisk": "true"}}, "which the site needs"),
        ({"spark_options": {"spark.sql.variable.substitute": "true"}}, "settings of memory"),
        ({"spark_options": {"spark.driver.extraJavaOptions": "-Dx=y"}}, "settings of memory"),
        ({"spark_options": {"spark.jars": "/tmp/x.jar"}}, "settings of memory"),
        ({"spark_options": {"spark.plugins": "x.Y"}}, "settings of memory"),
        ({"spark_options": {"spark.sql.extensions": "x.Y"}}, "settings of memory"),
        ({"spark_options": {"spark.hadoop.fs.file.impl": "x.Y"}}, "settings of memory"),
        ({"spark_options": {"spark.network.crypto.enabled": "false"}}, "settings of memory"),
        ({"spark_options": {"SPARK.MASTER": "local"}}, "settings of memory"),
        ({"spark_options": {"spark.serializer": "x.Y"}}, "a class of Spark"),
        ({"spark_options": {"spark.sql.adaptive.customCostEvaluatorClass": "x.Y"}}, "of Spark"),
        ({"checkpoint_root": "/mine"}, "checkpoint_root: found /mine"),
        ({"status": "0.0.0.0:1"}, "the site sets it"),
        ({"kafka_options": ["acks"]}, "kafka_options"),
    ],
)
def test_keys_reserved_for_the_site_are_refused(changes, message):
    with pytest.raises(AnsibleFilterError, match=message):
        document(**changes)


TWICE = {"acks": "all", "kafka.ACKS": "1"}


@pytest.mark.parametrize("options", [TWICE, TWICE | {"kafka.ACKS": "all"}])
def test_two_spellings_of_an_option_are_refused(options):
    message = (
        r"kafka_options\.kafka\.ACKS: found another spelling of kafka_options\.acks; allowed: "
    )
    with pytest.raises(AnsibleFilterError, match=message):
        document(kafka_options=options)
    with pytest.raises(AnsibleFilterError, match=message):
        pipeline_document(DECLARED, "p", SITE | {"kafka_options": options})


def test_an_option_of_the_site_with_the_same_value_is_read_once_however_it_is_spelled():
    site = SITE | {"kafka_options": {"kafka.acks": "all"}}
    found = pipeline_document(DECLARED | {"kafka_options": {"acks": "all"}}, "p", site)
    assert found["kafka_options"] == {"kafka.acks": "all"}


TRANSACTIONAL = {
    "outputs": {"all": {"sql": "TABLE events", "topic": "out", "delivery": "transactional"}}
}


def test_options_that_a_transactional_output_does_not_support_are_refused_before_its_start():
    with pytest.raises(
        AnsibleFilterError, match=r"kafka_options.kafka.buffer.memory: found 9; allowed"
    ):
        document(**TRANSACTIONAL, kafka_options={"kafka.buffer.memory": "9"})
    site = SITE | {"kafka_options": {"ssl.truststore.type": "JKS"}}
    with pytest.raises(AnsibleFilterError, match=r"found JKS; allowed: PEM"):
        pipeline_document(DECLARED | TRANSACTIONAL, "p", site)
    secret = SITE | {"kafka_options": {"ssl.keystore.password": "s3cret"}}
    with pytest.raises(AnsibleFilterError) as error:
        pipeline_document(DECLARED | TRANSACTIONAL, "p", secret)
    assert "ssl.keystore.password: found a hidden value; allowed: " in str(error.value)
    assert "s3cret" not in str(error.value)
    short = {"sql": "TABLE events", "topic": "out", "delivery": "transactional"}
    declared = {key: DECLARED[key] for key in ("source", "invalid")} | short
    with pytest.raises(AnsibleFilterError, match=r"buffer\.memory"):
        pipeline_document(declared | {"kafka_options": {"buffer.memory": "9"}}, "p", SITE)
    assert document(kafka_options={"buffer.memory": "9"})
    assert document(**TRANSACTIONAL, kafka_options={"client.rack": "a", "fetch.max.bytes": "1"})


SECRETS = {
    "a password of the declaration": ({"kafka_options": {"ssl.keystore.password": "s3cret"}}, {}),
    "both passwords of a conflict": (
        {"kafka_options": {"ssl.key.password": "s3cret"}},
        {"kafka_options": {"kafka.ssl.key.password": "also s3cret"}},
    ),
    "both keys of a conflict of Spark's options": (
        {"spark_options": {"spark.hadoop.fs.s3a.access.key": "s3cret"}},
        {"spark_options": {"spark.hadoop.fs.s3a.access.key": "also s3cret"}},
    ),
    "a name in upper case": ({"kafka_options": {"Ssl.Key.Password": "s3cret"}}, {}),
    "a password in a value": (
        {"spark_options": {"spark.driver.extraJavaOptions": "-Dx.Password=s3cret"}},
        {},
    ),
    "a value of another type": ({"kafka_options": {"ssl.keystore.key": ["s3cret"]}}, {}),
    "options that are no mapping": ({"kafka_options": ["ssl.key.password=s3cret"]}, {}),
    "a mapping of the site": (
        {"databases": {"d": {"url": "jdbc:x:y", "properties": {"password": "s3cret"}}}},
        {},
    ),
    "a transactional output": (
        TRANSACTIONAL,
        {"kafka_options": {"Ssl.Truststore.Password": "s3cret"}},
    ),
}


@pytest.mark.parametrize(("changes", "site"), SECRETS.values(), ids=SECRETS)
def test_errors_hide_secrets(changes, site):
    with pytest.raises(AnsibleFilterError, match="found a hidden value; allowed") as error:
        pipeline_document(DECLARED | changes, "p", SITE | site)
    assert "s3cret" not in str(error.value)
    assert "s3cret" not in str(find_problems({"p": DECLARED | changes}))


def test_refused_spark_options_are_named():
    page = (Path(__file__).parents[2] / "docs/operate/guides/pipelines.md").read_text()
    assert [each for each in ALLOWED_SPARK if each not in page.split()] == []


def test_performance_options_are_accepted():
    spark = {
        "spark.sql.shuffle.partitions": "4",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.sql.streaming.stateStore.rocksdb.compactOnCommit": "true",
        "spark.executor.memoryOverhead": "512m",
    }
    kafka = {"fetch.max.bytes": "1048576", "compression.type": "zstd", "client.rack": "a"}

    found = document(spark_options=spark, kafka_options=kafka)

    assert found["spark_options"].items() >= spark.items()
    assert found["kafka_options"].items() >= kafka.items()


@pytest.mark.parametrize(
    ("changed", "is_replaced"),
    [
        ({"outputs": {"other": {"sql": "SELECT id FROM events", "topic": "other"}}}, False),
        ({"rules": {"short": "length(id) < 9"}}, False),
        ({"trigger": "1 minute"}, False),
        ({"resources": {"cores": 4}}, True),
        ({"kafka_options": {"acks": "1"}}, True),
    ],
)
def test_only_a_change_of_its_session_replaces_a_driver(changed, is_replaced):
    before, after = session_settings(document()), session_settings(document(**changed))

    assert (before != after) is is_replaced
