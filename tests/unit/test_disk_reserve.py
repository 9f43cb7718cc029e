"""Reserves on data disks, to be freed when a disk is full."""

import os

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import (
    data_disks,
    disk_model,
    disk_plan,
    disk_reserve,
)

GIB, MIB = 1024**3, 1024**2


@pytest.mark.parametrize(
    ("size", "free", "present", "made"),
    [
        # 2 % of a small disk, the declared size on a large one.
        (10 * GIB, 9 * GIB, 0, 204 * MIB),
        (4000 * GIB, 3000 * GIB, 0, 2 * GIB),
        # The reserve exists.
        (4000 * GIB, 3000 * GIB, 2 * GIB, 0),
        # The reserve was freed: it is created again when there is enough space.
        (4000 * GIB, 100 * GIB, 0, 0),
        (100 * GIB, 17 * GIB, 0, 2 * GIB),
        (100 * GIB, 16 * GIB, 0, 0),
    ],
)
def test_reserve_is_created_only_with_enough_free_space(size, free, present, made):
    assert disk_reserve.missing_reserve_bytes(2 * GIB, size, free, present) == made


def test_reserve_is_allocated_immediately(tmp_path):
    disk_reserve.allocate(str(tmp_path), 3 * MIB)
    assert os.stat(tmp_path / disk_reserve.FILE).st_blocks * 512 >= 3 * MIB
    assert os.stat(tmp_path / disk_reserve.FILE).st_mode & 0o777 == 0o600


def test_failed_disk_gets_no_reserve(monkeypatch):
    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk_reserve.os, "statvfs", broken)
    assert disk_reserve.read("/data/disk1", GIB) == 0


def disk(action, *points):
    device = disk_model.Device(
        "/dev/sdb", size=100 * GIB, mounts=tuple(map(disk_model.Mount, points))
    )
    return disk_model.Disk(
        disk_model.Spec("disk1", "/data/disk1", path="/dev/sdb"), "", action, "", device
    )


@pytest.mark.parametrize(
    ("action", "points", "texts"),
    [
        (data_disks.FORMAT, [], ["disk1 gets a reserve of 2.0 GiB"]),
        (data_disks.USE, ["/data/disk1"], ["disk1 gets a reserve of 1 MiB"]),
        (data_disks.USE, [], []),
        (data_disks.LEAVE, ["/data/disk1"], []),
        (data_disks.REFUSE, [], []),
    ],
)
def test_plan_lists_reserves(action, points, texts):
    steps = disk_plan.reserves([disk(action, *points)], 2 * GIB, lambda mount, declared: MIB)
    assert [step.text for step in steps] == texts


def test_reserve_can_be_disabled():
    assert disk_plan.reserves([disk(data_disks.FORMAT)], 0, lambda mount, declared: MIB) == []
