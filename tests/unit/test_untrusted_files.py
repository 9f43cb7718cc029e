"""Planted files of a container neither block root nor expose other files."""

import os
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers.support import collector
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    data_ownership,
    untrusted_files,
)
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import disk_contents

pytestmark = pytest.mark.usefixtures("time_limit")


def sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(20 * 1000**3)


def secret(file: Path) -> None:
    kept = file.with_name("secret")
    kept.write_text('cluster.id=hidden\n{"clusters": {"hidden": []}}')
    file.symlink_to(kept)


PLANTED = pytest.mark.parametrize(
    ("plant", "why"),
    [
        (os.mkfifo, "found no regular file; allowed: a regular file"),
        (lambda file: file.symlink_to("/dev/zero"), "found a link; allowed: a regular file"),
        (secret, "found a link; allowed: a regular file"),
        (lambda file: file.mkdir(), "found no regular file; allowed: a regular file"),
        (
            sparse,
            f"found more than {untrusted_files.LIMIT} bytes; "
            f"allowed: at most {untrusted_files.LIMIT}",
        ),
        (lambda file: file.write_text("[" * 200_000), ""),
    ],
    ids=["pipe", "device", "link", "directory", "sparse", "deep"],
)


@PLANTED
def test_planted_file_is_refused_with_the_allowed_kind(tmp_path, plant, why):
    plant(tmp_path / "file")

    if not why:
        assert untrusted_files.read_content(str(tmp_path / "file"))
        return
    with pytest.raises(untrusted_files.PlantedError) as error:
        untrusted_files.read_content(str(tmp_path / "file"))
    assert str(error.value) == f"{tmp_path / 'file'}: {why}"


@PLANTED
def test_planted_marker_has_no_owners(tmp_path, plant, why):
    plant(tmp_path / data_ownership.MARKER)

    assert data_ownership.read_owners(str(tmp_path)) == {}


@PLANTED
def test_planted_meta_properties_has_no_id(tmp_path, plant, why):
    plant(tmp_path / "meta.properties")

    assert data_ownership.cluster_id(str(tmp_path)) == ""


@PLANTED
def test_planted_disk_marker_is_empty(tmp_path, plant, why):
    plant(tmp_path / disk_contents.MARKER)

    assert disk_contents._marker_in(str(tmp_path)) == ({}, False)


@pytest.mark.parametrize("plant", [os.mkfifo, secret], ids=["pipe", "link"])
def test_support_archive_has_no_planted_content(tmp_path, plant):
    (tmp_path / "prod-kafka").mkdir()
    (tmp_path / "prod-kafka" / "log").write_text("a line\n")
    plant(tmp_path / "prod-kafka" / "log.1")

    ((name, text),) = collector.collect_logs(tmp_path, "prod-", 9)

    assert name == "prod-kafka"
    assert text.endswith("allowed: a regular file\na line")
    assert "hidden" not in text


def test_tail_of_a_long_log_is_read(tmp_path):
    (tmp_path / "log").write_bytes(b"x" * 99 + b"end")

    assert untrusted_files.read_tail(str(tmp_path / "log"), 3) == b"end"
    assert untrusted_files.read_tail(str(tmp_path / "log"), 300).endswith(b"xend")
