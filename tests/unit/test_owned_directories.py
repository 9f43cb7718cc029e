"""Log dirs are created only on their declared disk."""

import errno
import os

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    data_ownership,
    owned_directories,
)


def test_directory_below_an_unmounted_disk_is_unavailable(tmp_path):
    path = f"{tmp_path}/kafka"
    assert (
        owned_directories.unavailable_reason(path, [str(tmp_path)])
        == f"no disk is mounted at {tmp_path}"
    )


def test_directory_on_no_disk_is_available(tmp_path):
    assert owned_directories.unavailable_reason(f"{tmp_path}/kafka", []) is None
    assert owned_directories.unavailable_reason("/data/disk10/kafka", ["/data/disk1"]) is None


def test_directory_on_a_mounted_disk_is_available():
    assert os.path.ismount("/proc")
    assert owned_directories.unavailable_reason("/dev/shm/kafka", ["/dev/shm"]) is None


def test_failed_disk_is_reported(monkeypatch):
    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(owned_directories.os, "lstat", lambda path: None)
    monkeypatch.setattr(owned_directories.os.path, "ismount", lambda path: True)
    monkeypatch.setattr(owned_directories.os, "stat", broken)
    assert (
        owned_directories.unavailable_reason("/data/1/kafka", ["/data/1"]) == "Input/output error"
    )


def test_failed_disk_does_not_count_as_missing(monkeypatch):
    """os.path.ismount() is false if reading the mount point fails."""

    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(owned_directories.os, "lstat", broken)
    assert (
        owned_directories.unavailable_reason("/data/1/kafka", ["/data/1"]) == "Input/output error"
    )


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_full_or_failed_disk_only_delays_the_marker(monkeypatch, tmp_path, number):
    """A run must work with a full disk; the next run writes the marker."""

    def broken(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(data_ownership.os, "fsync", broken)
    error = owned_directories.try_to_mark(str(tmp_path), "prod", "kafka1")
    assert os.strerror(number) in error
    assert list(tmp_path.iterdir()) == []


def test_missing_write_permission_is_an_error(monkeypatch, tmp_path):
    def refused(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(data_ownership.os, "fsync", refused)
    with pytest.raises(OSError, match="not permitted"):
        owned_directories.try_to_mark(str(tmp_path), "prod", "kafka1")
