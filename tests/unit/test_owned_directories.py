"""Log dirs are made on their disk or not at all."""

import errno
import os

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    data_ownership,
    owned_directories,
)


def test_a_directory_below_an_unmounted_disk_is_not_made(tmp_path):
    path = f"{tmp_path}/kafka"
    assert (
        owned_directories.unavailable(path, [str(tmp_path)]) == f"no disk is mounted at {tmp_path}"
    )


def test_a_directory_that_is_on_no_disk_is_made_anywhere(tmp_path):
    assert owned_directories.unavailable(f"{tmp_path}/kafka", []) is None
    assert owned_directories.unavailable("/data/disk10/kafka", ["/data/disk1"]) is None


def test_a_directory_on_a_mounted_disk_may_be_made():
    assert os.path.ismount("/proc")
    assert owned_directories.unavailable("/dev/shm/kafka", ["/dev/shm"]) is None


def test_a_disk_with_errors_is_named(monkeypatch):
    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(owned_directories.os, "lstat", lambda path: None)
    monkeypatch.setattr(owned_directories.os.path, "ismount", lambda path: True)
    monkeypatch.setattr(owned_directories.os, "stat", broken)
    assert owned_directories.unavailable("/data/1/kafka", ["/data/1"]) == "Input/output error"


def test_a_disk_with_errors_is_not_taken_for_a_missing_one(monkeypatch):
    """os.path.ismount() is false where the mount point itself answers with an error."""

    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(owned_directories.os, "lstat", broken)
    assert owned_directories.unavailable("/data/1/kafka", ["/data/1"]) == "Input/output error"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_takes_no_marker_does_not_end_the_run(monkeypatch, tmp_path, number):
    """A full disk is when a run is needed most; the marker waits for the next one."""

    def broken(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(data_ownership.os, "fsync", broken)
    said = owned_directories.try_to_mark(str(tmp_path), "prod", "kafka1")
    assert os.strerror(number) in said
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_nobody_may_write_to_ends_the_run(monkeypatch, tmp_path):
    def refused(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(data_ownership.os, "fsync", refused)
    with pytest.raises(OSError, match="not permitted"):
        owned_directories.try_to_mark(str(tmp_path), "prod", "kafka1")
