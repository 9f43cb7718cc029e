"""Pipelines of a secured cluster get options and files that their Kafka clients accept."""

import base64

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline import (
    database_files,
    database_sites,
    own_databases,
    pipeline_document,
    registry_files,
    registry_site,
    session_settings,
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


REGISTRY = {"urls": ["https://a:8443/v7", "https://b:8443/v7"], "ca": "PEM", "login": "pipelines:x"}


def _registered(**registry):
    source = {"topic": "a", "format": "avro", "schema": "id STRING", **registry}
    outputs = {"o": {"sql": "SELECT id FROM events", "topic": "out"}}
    return {"source": source, "outputs": outputs, "invalid": "bad"}


def test_a_pipeline_that_names_no_registry_gets_that_of_the_site():
    for own in ({}, {"registry": {"subject": "s"}}, {"format": "json_schema"}):
        declared = _registered(**own)
        document = pipeline_document(declared, "p", registry_site(REGISTRY, declared))
        found = parse("p", document).source.registry
        assert found.subject == ("s" if "registry" in own else "a-value")
        assert found.site.urls == ("https://a:8443/v7", "https://b:8443/v7")
        files = {
            f"/etc/kafka-metal/{each['name']}": each["content"]
            for each in registry_files(REGISTRY, declared)
        }
        assert files.pop(found.site.ca_file) == "PEM"
        assert base64.b64decode(files.pop(found.site.credentials_file)) == b"pipelines:x"
        assert files == {}
        assert "pipelines:x" not in str(document)


@pytest.mark.parametrize(
    "own", [{"format": "json"}, {"registry": {"url": "http://own/v7"}}, {"format": "bytes"}]
)
def test_other_pipelines_get_no_login_of_a_registry(own):
    declared = _registered(**own)
    assert registry_site(REGISTRY, declared) == {}
    assert registry_files(REGISTRY, declared) == []
    assert registry_site({}, _registered()) == {}


def test_another_registry_replaces_the_driver():
    """Its files are in the container."""

    def settings(registry, **own):
        declared = _registered(**own)
        site = registry_site(registry, declared)
        return session_settings(pipeline_document(declared, "p", site))

    other = {**REGISTRY, "urls": [*REGISTRY["urls"], "https://added/v7"]}
    before = settings(REGISTRY)
    assert before == settings(REGISTRY, format="json_schema")
    assert before != settings(other)
    assert before != settings(REGISTRY, format="json")


def test_a_registry_may_need_no_login():
    open_one = {"urls": ["http://a/v7"]}
    assert registry_site(open_one, _registered()) == {"registry": open_one}
    assert registry_files(open_one, _registered()) == []
