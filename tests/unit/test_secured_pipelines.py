"""Pipelines of a secured cluster get options and files that their Kafka clients accept."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline import (
    database_files,
    database_sites,
    own_databases,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security import client_security
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.librdkafka import translate_options


@pytest.mark.parametrize("mode", ["tls_scram", "mtls", "scram"])
def test_transactional_output_authenticates_as_the_pipeline(mode, tmp_path):
    user, secret = "pipeline-x", "p'w\"\\1"
    for file in client_security.client_files([user], [secret], mode):
        (tmp_path / file["name"]).write_text(file["content"])

    found = translate_options(client_security.pipeline_options(mode, user, str(tmp_path)))

    expected = client_security.librdkafka_options(mode, user, secret, str(tmp_path))
    assert found == expected


@pytest.mark.parametrize("mode", ["tls_scram", "mtls", "scram"])
def test_executors_have_no_files_of_the_pipeline(mode):
    options = client_security.pipeline_options(mode, "pipeline-x", "/etc/kafka-metal")

    provider = options.pop("config.providers.file.class")
    assert provider == "metal.kafka.spark.DriverSecrets"
    naming = [value for value in options.values() if "pipeline-x" in value]
    assert naming
    assert [value for value in naming if "${file:/etc/kafka-metal/pipeline-x." not in value] == []


DATABASES = {
    "shop": {"url": "jdbc:postgresql://h/shop", "properties": {"user": "u"}, "password": "hidden"},
    "open": {"url": "jdbc:postgresql://h/open"},
}


def test_passwords_of_databases_are_only_in_files():
    assert "hidden" not in str(database_sites(DATABASES))
    assert database_files(DATABASES) == [{"name": "database-shop.txt", "content": "hidden"}]


def test_declaration_may_name_a_database_of_the_site():
    body = {
        "source": {"topic": "a", "format": "json", "schema": "id STRING NOT NULL"},
        "outputs": {
            "o": {"sql": "SELECT id FROM events", "table": "t", "keys": ["id"], "database": "shop"}
        },
        "invalid": "bad",
        "databases": database_sites(DATABASES),
    }

    site = parse("x", body).site.databases["shop"]

    assert (site.password_file, site.properties) == (
        "/etc/kafka-metal/database-shop.txt",
        {"user": "u"},
    )


def test_driver_gets_only_databases_of_its_outputs():
    declared = {"outputs": {"o": {"table": "t", "database": "shop"}, "p": {"topic": "x"}}}
    assert own_databases(DATABASES, declared) == {"shop": DATABASES["shop"]}
    assert own_databases(DATABASES, {"outputs": {"p": {"topic": "x"}}}) == {}
    # Other checks report malformed outputs.
    assert own_databases(DATABASES, {"outputs": ["shop"]}) == {}
