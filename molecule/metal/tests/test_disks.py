"""A new disk is formatted only if it is blank or the operator names it."""

from collections.abc import Callable, Iterator

import pytest
import testinfra
from testing import disks, playbooks

MACHINE, DEVICE, MOUNT = "node3", "/dev/sdd", "/data/spare"
SPARE = {"name": "spare", "path": DEVICE, "mount": MOUNT}
USED = [
    {"name": "disk1", "path": "/dev/sdb", "mount": "/data/disk1"},
    {"name": "disk2", "path": "/dev/sdc", "mount": "/data/disk2"},
]
# The cluster's name is written to the marker of a disk.
ARGUMENTS = {"cluster": "metal", "host": MACHINE, "disks": [SPARE]}


@pytest.fixture
def machine(connect: Callable[[str], testinfra.host.Host]) -> Iterator[testinfra.host.Host]:
    """A machine whose spare disk is blank and not in use."""
    host = connect(MACHINE)
    with disks.spare(host, DEVICE, MOUNT):
        yield host


def test_a_foreign_file_system_is_refused_unless_named(machine):
    machine.check_output("mkfs.ext4 -q -F -L backup %s", DEVICE)
    before, fstab = disks.first_bytes(machine, DEVICE), disks.fstab(machine)
    declared = {"host_disks": [*USED, SPARE]}

    refused = playbooks.run("host", "--limit", MACHINE, extra=declared, check=False)

    assert refused.returncode != 0
    assert "spare (/dev/sdd, 4.0 GiB): found ext4 (label backup)" in refused.stdout
    assert "name spare in overwrite" in " ".join(refused.stdout.split())
    assert disks.first_bytes(machine, DEVICE) == before
    assert disks.fstab(machine) == fstab
    assert not machine.file(MOUNT).exists

    named = {**declared, "host_disks_overwrite": ["spare"]}
    playbooks.run("host", "--limit", MACHINE, extra=named)
    assert machine.mount_point(MOUNT).filesystem == "xfs"

    again = playbooks.run("host", "--limit", MACHINE, extra=declared)
    assert playbooks.changes(again) == 0


def test_a_new_disk_is_mounted_by_uuid_with_options_on_an_immutable_mount_point(machine):
    others = disks.fstab(machine)
    plan = disks.run_data_disks(MACHINE, check=True, **ARGUMENTS)
    assert plan["changed"]
    assert disks.fstab(machine) == others
    assert not machine.file(MOUNT).exists
    assert machine.check_output("wipefs %s", DEVICE) == ""

    done = disks.run_data_disks(MACHINE, **ARGUMENTS)

    assert done["steps"] == plan["steps"]
    assert {"noatime", "nodev", "nosuid"} <= set(machine.mount_point(MOUNT).options)
    line = disks.fstab(machine).removeprefix(others).split()
    assert line[:3] == [f"UUID={done['disks'][0]['uuid']}", MOUNT, "xfs"]
    assert {"noatime", "nodev", "nosuid", "nofail"} <= set(line[3].split(","))
    assert disks.is_guarded(machine, MOUNT)

    machine.check_output("umount %s", MOUNT)
    assert machine.run("touch %s/by-root", MOUNT).rc != 0
    machine.check_output("mount %s", MOUNT)
    assert disks.run_data_disks(MACHINE, **ARGUMENTS)["steps"] == []


def test_lost_mount_options_are_restored_while_the_disk_is_in_use(machine):
    disks.run_data_disks(MACHINE, **ARGUMENTS)
    machine.check_output("mount -o remount,dev,suid,atime %s", MOUNT)

    assert disks.run_data_disks(MACHINE, **ARGUMENTS)["steps"] == [
        "/data/spare is remounted with noatime, nodev, nosuid"
    ]
    assert {"noatime", "nodev", "nosuid"} <= set(machine.mount_point(MOUNT).options)


def test_the_disk_of_another_host_is_refused(machine):
    disks.run_data_disks(MACHINE, **{**ARGUMENTS, "host": "node9"})
    machine.check_output("touch %s/kept", MOUNT)
    machine.check_output("umount %s", MOUNT)

    refused = disks.run_data_disks(MACHINE, **ARGUMENTS)

    assert refused["disks"][0]["state"] == "swapped"
    assert "found spare of host node9 of cluster metal" in refused["msg"]
    # The operator confirms that it is the right one: its content is kept.
    adopted = disks.run_data_disks(MACHINE, **ARGUMENTS, adopt=["spare"])
    assert adopted["disks"][0]["state"] == "ready"
    assert machine.file(f"{MOUNT}/kept").exists
    assert disks.run_data_disks(MACHINE, **ARGUMENTS)["steps"] == []


def test_a_blank_disk_in_place_of_a_known_one_is_refused_unless_named(machine):
    disks.run_data_disks(MACHINE, **ARGUMENTS)
    machine.check_output("umount %s", MOUNT)
    machine.check_output("wipefs --all --quiet %s", DEVICE)

    refused = disks.run_data_disks(MACHINE, **ARGUMENTS)
    assert "this is another disk" in refused["msg"]
    assert (
        disks.run_data_disks(MACHINE, **ARGUMENTS, overwrite=["spare"])["disks"][0]["state"]
        == "ready"
    )


def test_a_mounted_disk_is_not_formatted_even_when_named(machine):
    disks.run_data_disks(MACHINE, **ARGUMENTS)
    machine.check_output("touch %s/kept", MOUNT)

    refused = disks.run_data_disks(MACHINE, **ARGUMENTS, overwrite=["spare"])

    assert f"it is mounted at {MOUNT}" in refused["msg"]
    assert machine.file(f"{MOUNT}/kept").exists


def test_a_missing_disk_is_reported_with_the_blank_ones(machine):
    spec = {"name": "spare", "serial": "NO-SUCH-SERIAL", "mount": MOUNT}

    refused = disks.run_data_disks(MACHINE, **{**ARGUMENTS, "disks": [spec]})

    assert refused["disks"][0]["state"] == "missing"
    assert "no device has serial NO-SUCH-SERIAL" in refused["msg"]
    assert [disk["device"] for disk in refused["unused"]] == [DEVICE]
