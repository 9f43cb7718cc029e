"""Settings and paths derived from the declared storage; errors name their place."""

from xml.etree import ElementTree

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.storage import storage
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declaration_reader import (
    DeclarationError,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.storage import parse_storage
from kafka_metal_declarations.declaration import parse

OWN = {
    "kind": "s3",
    "bucket": "platform",
    "endpoint": "https://s3.example.com:7070",
    "access_key": "AKIA",
    "secret_key": "hidden",
}
HDFS = {"kind": "hdfs", "namenode": "nn1:8020"}


def test_storage_of_kind_path():
    found = storage({"kind": "path"}, "c")

    assert found["roots"] == {
        "checkpoint_root": "/shared/checkpoints",
        "archive_root": "/shared/archive",
        "event_log_dir": "/shared/events",
    }
    assert (found["events"], found["mounted"]) == ("file:/shared/events", True)
    assert [found[key] for key in ("spark", "environment", "files", "secret_files")] == [
        {"spark.hadoop.fs.permissions.umask-mode": "007"}, {}, [], [],
    ]  # fmt: skip


def test_own_s3_store_has_endpoint_and_path_style():
    found = storage(OWN | {"prefix": "a/b", "settings": {"fs.s3a.threads.max": 20}}, "c")

    assert found["roots"]["checkpoint_root"] == "s3a://platform/a/b/checkpoints"
    assert found["events"] == found["roots"]["event_log_dir"] == "s3a://platform/a/b/events"
    assert found["mounted"] is False
    settings = settings_of(found)
    assert settings["fs.s3a.endpoint"] == "https://s3.example.com:7070"
    assert settings["fs.s3a.path.style.access"] == "true"
    assert settings["fs.s3a.threads.max"] == "20"
    assert "Abortable" in found["spark"]["spark.sql.streaming.checkpointFileManagerClass"]


def test_store_of_aws_has_a_region_and_virtual_hosts():
    aws = {key: value for key, value in OWN.items() if key != "endpoint"} | {"region": "eu-west-1"}

    settings = settings_of(storage(aws, "c"))

    assert settings["fs.s3a.endpoint.region"] == "eu-west-1"
    assert not {"fs.s3a.endpoint", "fs.s3a.path.style.access"} & set(settings)


def test_keys_are_in_a_private_file():
    found = storage(OWN, "c")

    (file,) = found.pop("secret_files")
    assert file["content"].splitlines() == [
        "[default]", "aws_access_key_id = AKIA", "aws_secret_access_key = hidden",
    ]  # fmt: skip
    assert "AKIA" not in str(found)
    assert "hidden" not in str(found)
    assert settings_of(found)["fs.s3a.auth.profile.file"] == f"/etc/kafka-metal/{file['name']}"
    assert "hidden" not in repr(parse_storage(OWN, "c"))


def test_default_paths_contain_the_cluster_name():
    assert storage(OWN, "east")["root"] == "s3a://platform/kafka-metal/east"
    assert storage(HDFS, "east")["root"] == "hdfs://nn1:8020/kafka-metal/east"


def test_hdfs_user_is_declared():
    settings = {"dfs.a<b": "1&2", "ipc.client.connect.timeout": 5000}
    found = storage(HDFS | {"user": "etl", "path": "data", "settings": settings}, "c")

    assert found["roots"]["archive_root"] == "hdfs://nn1:8020/data/archive"
    assert found["environment"]["HADOOP_USER_NAME"] == "etl"
    # In core-site.xml, defaults of Hadoop's hdfs-site.xml would override it.
    assert settings_of(found, "hdfs-site.xml") == {"dfs.a<b": "1&2"}
    assert settings_of(found) == {"ipc.client.connect.timeout": "5000"}
    # Renames are atomic in HDFS: no other checkpoint manager is needed.
    assert found["spark"] == {}


@pytest.mark.parametrize("declared", [{"kind": "path"}, OWN, HDFS])
def test_driver_accepts_the_derived_settings(declared):
    found = storage(declared, "c")
    body = {
        "source": {"topic": "a", "schema": "id STRING NOT NULL"},
        "outputs": {"o": {"path": "kept"}},
        "invalid": "bad",
        "spark_options": found["spark"],
        **found["roots"],
    }

    site = parse("x", body).site

    assert site.archive_root == found["roots"]["archive_root"]


WRONG = {
    "no mapping": ("s3", "shared_storage: found 's3'", "a mapping with a kind, one of path, s3"),
    "no kind": ({"bucket": "x"}, "shared_storage.kind: found nothing", "one of hdfs, path, s3"),
    "typo in a kind": ({"kind": "hfds"}, "shared_storage.kind: found 'hfds'", "hdfs (did you"),
    "typo in a key": (
        OWN | {"buckets": "x"},
        "shared_storage.buckets: found an unknown key",
        "bucket (did you mean that?)",
    ),
    "a key of another kind": (HDFS | {"bucket": "x"}, "shared_storage.bucket", "one of kind"),
    "a path of kind path": (
        {"kind": "path", "path": "/srv"},
        "shared_storage.path",
        "spark_shared_dir and pipeline_shared_dir",
    ),
    "no required keys": (
        {"kind": "s3", "bucket": "platform"},
        "shared_storage.secret_key: found nothing",
        "it is required",
    ),
    "no bucket": (OWN | {"bucket": "A_b"}, "shared_storage.bucket: found 'A_b'", "3 to 63"),
    "no URL": (OWN | {"endpoint": "s3:7070"}, "shared_storage.endpoint", "https://host:port"),
    "an absolute prefix": (
        OWN | {"prefix": "/a"},
        "shared_storage.prefix: found '/a'",
        "names with /",
    ),
    "no namenode": (HDFS | {"namenode": "hdfs://nn"}, "shared_storage.namenode", "HOST:PORT"),
    "a key in the settings": (
        OWN | {"settings": {"fs.s3a.secret.key": "x"}},
        "shared_storage.settings.fs.s3a.secret.key",
        "access_key and secret_key",
    ),
    "a nested setting": (
        HDFS | {"settings": {"dfs": {"a": 1}}},
        "shared_storage.settings.dfs: found a mapping",
        "text, a number",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_place_and_remedy(name):
    declared, where, allowed = WRONG[name]
    with pytest.raises(DeclarationError) as error:
        parse_storage(declared, "c")
    assert any(where in each and allowed in each for each in error.value.messages), str(error.value)
    with pytest.raises(AnsibleFilterError):
        storage(declared, "c")


@pytest.mark.parametrize("url", ["https://a:s3cret@h/path x", "https://h/?access_key=s3cret"])
def test_passwords_of_an_endpoint_are_not_in_the_message(url):
    with pytest.raises(
        DeclarationError, match=r"shared_storage.endpoint: found 'https://"
    ) as error:
        parse_storage(OWN | {"endpoint": url}, "c")
    assert "s3cret" not in str(error.value)


def test_invalid_key_is_not_in_the_message():
    with pytest.raises(DeclarationError) as error:
        parse_storage(OWN | {"secret_key": "two words"}, "c")
    assert "shared_storage.secret_key: found an invalid key" in str(error.value)
    assert "two words" not in str(error.value)


def settings_of(found, name="core-site.xml"):
    """Return the settings in a file of Hadoop's client."""
    (file,) = [file for file in found["files"] if file["name"] == name]
    tree = ElementTree.fromstring(file["content"])
    return {each.findtext("name"): each.findtext("value") for each in tree.iter("property")}
