"""What a person declares for a pipeline reaches its driver, or is refused with the reason."""

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.pipeline import pipeline_document

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
    return pipeline_document(DECLARED | changes, "p", SITE, "/")


def test_options_of_a_declaration_stay_beside_those_of_the_site():
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
    ("changes", "told"),
    [
        ({"kafka_options": {"security.protocol": "PLAINTEXT"}}, "kafka_options.security.protocol"),
        ({"kafka_options": {"kafka.sasl.jaas.config": "x"}}, "its own way in"),
        ({"kafka_options": {"bootstrap.servers": "other:9092"}}, "bootstrap.servers"),
        ({"spark_options": {"spark.shuffle.readHostLocalDisk": "true"}}, "which the site needs"),
        ({"checkpoint_root": "/mine"}, "checkpoint_root: found /mine"),
        ({"status": "0.0.0.0:1"}, "the site gives it"),
        ({"kafka_options": ["acks"]}, "kafka_options"),
    ],
)
def test_what_the_site_alone_gives_is_refused_and_not_dropped(changes, told):
    with pytest.raises(AnsibleFilterError, match=told):
        document(**changes)
