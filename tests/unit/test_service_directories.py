"""Log dirs are made on their disk or not at all."""

import os

from ansible_collections.metal.kafka.plugins.modules import service_files


def test_a_directory_below_an_unmounted_disk_is_not_made(tmp_path):
    path = f"{tmp_path}/kafka"
    assert service_files.unavailable(path, [str(tmp_path)]) == f"no disk is mounted at {tmp_path}"


def test_a_directory_that_is_on_no_disk_is_made_anywhere(tmp_path):
    assert service_files.unavailable(f"{tmp_path}/kafka", []) is None
    assert service_files.unavailable("/data/disk10/kafka", ["/data/disk1"]) is None


def test_a_directory_on_a_mounted_disk_may_be_made():
    assert os.path.ismount("/proc")
    assert service_files.unavailable("/dev/shm/kafka", ["/dev/shm"]) is None


def test_a_disk_with_errors_is_named(monkeypatch):
    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(service_files.os, "lstat", lambda path: None)
    monkeypatch.setattr(service_files.os.path, "ismount", lambda path: True)
    monkeypatch.setattr(service_files.os, "stat", broken)
    assert service_files.unavailable("/data/1/kafka", ["/data/1"]) == "Input/output error"


def test_a_disk_with_errors_is_not_taken_for_a_missing_one(monkeypatch):
    """os.path.ismount() is false where the mount point itself answers with an error."""

    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(service_files.os, "lstat", broken)
    assert service_files.unavailable("/data/1/kafka", ["/data/1"]) == "Input/output error"
