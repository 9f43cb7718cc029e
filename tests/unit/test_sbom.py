import json

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images import sbom
from ansible_collections.metal.kafka.plugins.plugin_utils._images.components import (
    CONTROL_NODE,
    Component,
)
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

SUM = "0" * 64
JAR = Component(
    "jar", "kafka-clients", "3.9.2", "org.apache.kafka", licences=("Apache-2.0",), sha256=SUM
)
PACKAGE = Component(
    "deb", "perl-base", "5.40.1-6", architecture="amd64", distribution="trixie",
    licences=("GPL-1.0-or-later OR Artistic-1.0-Perl", "MIT", "something else"),
)  # fmt: skip
BARE = Component("jar", "unknown-licence", "")
JAVA = Component(
    "java", "OpenJDK", "21.0.13", licences=("GPL-2.0-only WITH Classpath-exception-2.0",)
)
PYTHON = Component("python", "PyYAML", "6.0.3", licences=("MIT",))
LISTS = {"kafka": [JAR, PACKAGE, JAVA], "spark": [JAR, BARE], CONTROL_NODE: [PYTHON]}
IMAGES = {
    name: {"reference": f"kafka-metal/{name}:1-{name}", "id": f"sha256:{SUM}"}
    for name in ("kafka", "spark")
}


@pytest.fixture(scope="module")
def documents():
    return sbom.cyclonedx_documents(LISTS, IMAGES, "0.1.0")


def by_name(document):
    return {each["name"]: each for each in json.loads(document)["components"]}


def test_there_is_a_file_for_each_image_and_one_for_the_release(documents):
    assert sorted(documents) == ["control-node", "kafka", "kafka-metal", "spark"]


@pytest.mark.parametrize("name", ["control-node", "kafka", "kafka-metal", "spark"])
def test_file_matches_the_schema(documents, name):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(documents[name]) is None


def test_component_has_package_url_licence_and_hash(documents):
    found = by_name(documents["kafka"])
    assert found["kafka-clients"]["purl"] == "pkg:maven/org.apache.kafka/kafka-clients@3.9.2"
    assert found["kafka-clients"]["hashes"] == [{"alg": "SHA-256", "content": SUM}]
    assert found["kafka-clients"]["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert (
        found["perl-base"]["purl"] == "pkg:deb/debian/perl-base@5.40.1-6?arch=amd64&distro=trixie"
    )
    names = [each["license"] for each in found["perl-base"]["licenses"]]
    assert {"id": "MIT"} in names
    assert {"name": "something else"} in names
    assert len(names) == 3
    expression = "GPL-2.0-only WITH Classpath-exception-2.0"
    assert found["OpenJDK"]["licenses"] == [{"expression": expression}]


def test_unknown_licence_is_left_out(documents):
    found = by_name(documents["spark"])["unknown-licence"]
    assert "licenses" not in found
    assert "purl" not in found


def test_release_file_lists_components_by_image(documents):
    whole = json.loads(documents["kafka-metal"])
    found = by_name(documents["kafka-metal"])
    assert found["kafka"]["type"] == "container"
    assert found["kafka"]["version"] == "1-kafka"
    needs = {each["ref"]: each.get("dependsOn", []) for each in whole["dependencies"]}
    jar = found["kafka-clients"]["bom-ref"]
    assert jar in needs["kafka-metal/kafka:1-kafka"]
    assert jar in needs["kafka-metal/spark:1-spark"]
    assert [each["name"] for each in whole["components"]].count("kafka-clients") == 1


def test_the_same_images_have_the_same_files(documents):
    assert sbom.cyclonedx_documents(LISTS, IMAGES, "0.1.0") == documents
