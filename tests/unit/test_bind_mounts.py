"""A container gets at its disks by a directory that is there whatever the disks answer."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.bind_mounts import (
    disk_binds,
    propagates,
)

ROOT = "27 1 254:0 / / rw,relatime {} - ext4 /dev/vda rw"
SHARED, PRIVATE = ROOT.format("shared:1"), ROOT.format("")
DISKS = ["/data/disk1", "/data/disk2"]
LOG_DIRS = ["/data/disk1/kafka", "/data/disk2/kafka"]


def bound(source):
    return {"type": "bind", "source": source, "target": source}


def followed(source):
    return {**bound(source), "propagation": "rslave"}


def test_disks_are_reached_by_the_directory_that_holds_their_mount_points():
    assert disk_binds(LOG_DIRS, DISKS, [], SHARED) == [followed("/data")]


def test_each_directory_is_bound_once():
    disks = ["/data/disk1", "/data/fast/disk2"]
    paths = ["/data/disk1/a", "/data/disk1/b", "/data/fast/disk2/kafka"]
    assert disk_binds(paths, disks, [], SHARED) == [followed("/data")]


def test_a_disk_that_no_log_dir_uses_yet_changes_nothing():
    """Else a verb that adds or removes a disk would end with a broker that is not as declared."""
    more = [*DISKS, "/data/disk3"]
    assert disk_binds(LOG_DIRS, more, [], SHARED) == disk_binds(LOG_DIRS, DISKS, [], SHARED)


@pytest.mark.parametrize("parent", ["", "/mnt", "/srv", "/var/lib", "/home"])
def test_a_directory_of_the_system_is_never_shown(parent):
    disk = f"{parent}/disk1"
    assert disk_binds([f"{disk}/kafka"], [disk], [], SHARED) == [bound(disk)]


@pytest.mark.parametrize("other", ["/data/kafka2/disk1/kafka", "/data/zookeeper"])
def test_a_directory_that_holds_something_of_another_service_is_not_shown(other):
    assert disk_binds(LOG_DIRS, DISKS, [other], SHARED) == [bound(disk) for disk in DISKS]


def test_a_directory_of_its_own_for_each_broker_is_shown_to_that_broker_alone():
    first, second = "/data/kafka1/disk1", "/data/kafka2/disk1"
    assert disk_binds([f"{first}/log"], [first], [f"{second}/log"], SHARED) == [
        followed("/data/kafka1")
    ]


def test_what_another_service_has_on_the_same_disk_is_no_reason():
    others = ["/data/disk1/zookeeper"]
    assert disk_binds(LOG_DIRS, DISKS, others, SHARED) == [followed("/data")]


def test_where_mounts_are_not_handed_on_disks_are_bound_one_by_one():
    assert disk_binds(LOG_DIRS, DISKS, [], PRIVATE) == [bound(disk) for disk in DISKS]


def test_a_log_dir_on_no_declared_disk_is_bound_as_it_is():
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
        # The mount on top of another one is the one that counts.
        ([SHARED, "40 27 254:1 / / rw - xfs /dev/vdb rw"], False),
        ([SHARED, "40 27 254:1 / /database rw - xfs /dev/vdb rw"], True),
        ([], False),
    ],
)
def test_whether_mounts_reach_a_container_is_read_from_the_mount_above(lines, expected):
    assert propagates("/data", "\n".join(lines)) is expected
