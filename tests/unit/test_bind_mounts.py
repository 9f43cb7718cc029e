"""Containers bind the parent directory of their disks, which exists if a disk fails."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.bind_mounts import (
    disk_binds,
    mounts_propagate,
)

ROOT = "27 1 254:0 / / rw,relatime {} - ext4 /dev/vda rw"
SHARED, PRIVATE = ROOT.format("shared:1"), ROOT.format("")
DISKS = ["/data/disk1", "/data/disk2"]
LOG_DIRS = ["/data/disk1/kafka", "/data/disk2/kafka"]


def bound(source):
    return {"type": "bind", "source": source, "target": source}


def propagated(source):
    return {**bound(source), "propagation": "rslave"}


def test_parent_directory_of_mount_points_is_bound():
    assert disk_binds(LOG_DIRS, DISKS, [], SHARED) == [propagated("/data")]


def test_each_directory_is_bound_once():
    disks = ["/data/disk1", "/data/fast/disk2"]
    paths = ["/data/disk1/a", "/data/disk1/b", "/data/fast/disk2/kafka"]
    assert disk_binds(paths, disks, [], SHARED) == [propagated("/data")]


def test_unused_disk_changes_nothing():
    """Otherwise adding or removing a disk would change the broker's declaration."""
    more = [*DISKS, "/data/disk3"]
    assert disk_binds(LOG_DIRS, more, [], SHARED) == disk_binds(LOG_DIRS, DISKS, [], SHARED)


@pytest.mark.parametrize("parent", ["", "/mnt", "/srv", "/var/lib", "/home"])
def test_system_directory_is_never_bound(parent):
    disk = f"{parent}/disk1"
    assert disk_binds([f"{disk}/kafka"], [disk], [], SHARED) == [bound(disk)]


@pytest.mark.parametrize("other", ["/data/kafka2/disk1/kafka", "/data/zookeeper"])
def test_directory_with_data_of_another_service_is_not_bound(other):
    assert disk_binds(LOG_DIRS, DISKS, [other], SHARED) == [bound(disk) for disk in DISKS]


def test_each_broker_binds_only_its_own_directory():
    first, second = "/data/kafka1/disk1", "/data/kafka2/disk1"
    assert disk_binds([f"{first}/log"], [first], [f"{second}/log"], SHARED) == [
        propagated("/data/kafka1")
    ]


def test_data_of_another_service_on_the_same_disk_does_not_matter():
    others = ["/data/disk1/zookeeper"]
    assert disk_binds(LOG_DIRS, DISKS, others, SHARED) == [propagated("/data")]


def test_disks_are_bound_one_by_one_without_mount_propagation():
    assert disk_binds(LOG_DIRS, DISKS, [], PRIVATE) == [bound(disk) for disk in DISKS]


def test_log_dir_on_no_declared_disk_is_bound_directly():
    paths = ["/data/disk10/kafka", "/var/kafka"]
    assert disk_binds(paths, ["/data/disk1"], [], SHARED) == [bound(path) for path in paths]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([SHARED], True),
        ([PRIVATE], False),
        ([ROOT.format("master:3")], True),
        ([SHARED, "40 27 254:1 / /data rw - xfs /dev/vdb rw"], False),
        ([PRIVATE, "40 27 254:0 /data /data rw shared:7 - ext4 /dev/vda rw"], True),
        # A later mount covers an earlier one on the same point.
        ([SHARED, "40 27 254:1 / / rw - xfs /dev/vdb rw"], False),
        ([SHARED, "40 27 254:1 / /database rw - xfs /dev/vdb rw"], True),
        ([], False),
    ],
)
def test_propagation_is_that_of_the_parent_mount(lines, expected):
    assert mounts_propagate("/data", "\n".join(lines)) is expected
