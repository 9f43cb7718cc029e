"""Whether a disk may be replaced, and the release of a disk from its host."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import disk_release
from ansible_collections.metal.kafka.plugins.module_utils._host.mount_table import rows
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import disk_operations

LOG_DIRS = ["/data/disk2/kafka"]


def disk(state="ready", found="ready"):
    return {"name": "disk2", "state": state, "found": found}


def cluster(*offline, brokers=(1, 2, 3), reachable=True):
    return {
        "reachable": reachable,
        "problems": [] if reachable else ["no broker listens"],
        "brokers": [{"id": broker} for broker in brokers],
        "offline_log_dirs": [
            {"broker": broker, "path": path, "error": "KafkaStorageError"}
            for broker, path in offline
        ],
    }


DEAD = cluster((2, "/data/disk2/kafka"))


@pytest.mark.parametrize(
    ("found", "state", "action", "expected"),
    [
        # Ready and in use.
        (disk(), cluster(), "refuse", "disk2 is healthy"),
        # Other disks or other brokers have failed.
        (disk(), cluster((2, "/data/disk1/kafka")), "refuse", "disk2 is healthy"),
        (disk(), cluster((3, "/data/disk2/kafka")), "refuse", "disk2 is healthy"),
        # The inventory declares another device while the broker uses the old one.
        (disk("blank", "blank"), cluster(), "refuse", "on the host it is blank"),
        # The broker has taken the log dir offline.
        (disk("failed", "I/O error"), DEAD, "replace", "/data/disk2/kafka (KafkaStorageError)"),
        (disk("blank", "blank"), DEAD, "replace", "offline"),
        (disk(), DEAD, "replace", "offline"),
        # The host has detected the fault, the broker has not.
        (disk("missing", "gone"), cluster(), "replace", "may not have noticed yet"),
        (disk("read_only", "mounted read-only"), cluster(), "replace", "may not have noticed yet"),
        # An earlier run was interrupted: before the format, and after it.
        (disk("blank", "blank"), cluster(brokers=(1, 3)), "replace", "not registered"),
        (disk(), cluster(brokers=(1, 3)), "resume", "is ready"),
        # It is unknown whether the disk is in use.
        (disk("failed", "x"), cluster(reachable=False), "refuse", "no broker listens"),
    ],
)
def test_only_a_broken_disk_is_replaced(found, state, action, expected):
    result = disk_operations.validate(found, 2, state, LOG_DIRS)
    assert result["action"] == action
    assert expected in result["reason"]


def test_healthy_disk_is_replaced_if_force_names_it():
    result = disk_operations.validate(disk(), 2, cluster(), LOG_DIRS, force="disk2")
    assert result["action"] == "replace"
    result = disk_operations.validate(disk(), 2, cluster(), LOG_DIRS, force="disk1")
    assert result == {
        "action": "refuse",
        "reason": "disk_force names disk1, but the disk to replace is disk2",
    }


def test_another_device_replaces_only_the_named_disk():
    declared = [
        {"name": "disk1", "serial": "A", "mount": "/data/disk1"},
        {"name": "disk2", "serial": "B", "mount": "/data/disk2"},
    ]
    assert disk_operations.with_device(declared, "disk2", "") == declared
    assert disk_operations.with_device(declared, "disk2", "/dev/sdd") == [
        declared[0],
        {"name": "disk2", "path": "/dev/sdd", "mount": "/data/disk2"},
    ]


MOUNTINFO = (
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 21 8:16 / /data/disk1 rw,noatime shared:2 - xfs /dev/sdb rw\n"
    "31 21 8:32 / /data/a\\040b rw - xfs /dev/sdc rw\n"
    "torn line\n"
)


def test_mounts_are_found_by_mount_point():
    mounts = list(rows(MOUNTINFO))
    disk = disk_release.find_mount(mounts, "/data/disk1")
    assert (disk.device, disk.source, disk.follows) == ("8:16", "/dev/sdb", True)
    assert disk_release.find_mount(mounts, "/data/a b").source == "/dev/sdc"
    assert disk_release.find_mount(mounts, "/data") is None


def test_holders_are_processes_with_a_private_mount():
    follower = list(rows(MOUNTINFO))
    container = list(rows(MOUNTINFO.replace(" shared:2", "")))
    other = list(rows(MOUNTINFO.splitlines()[0]))
    containers = {"12": container, "3": container, "7": other, "9": follower}
    assert disk_release.find_holders(containers, "8:16") == ["3", "12"]


def test_only_the_disk_s_line_is_removed_from_fstab():
    fstab = "# ours\nUUID=a /data/disk1 xfs x 0 0\n\nUUID=b /data/disk10 xfs x 0 0\n"
    assert disk_release.remove_mount_lines(fstab, "/data/disk1") == (
        "# ours\n\nUUID=b /data/disk10 xfs x 0 0\n"
    )
    assert disk_release.remove_mount_lines(fstab, "/data/disk2") == fstab
