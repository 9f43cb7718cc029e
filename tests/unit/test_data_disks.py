"""Classification of disks and its actions: cases that must not lose data."""

from dataclasses import replace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import disk_plan
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.data_disks import (
    check_specs,
    check_together,
    classify,
    problems,
    refusals,
    same_identifier,
)
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.disk_model import (
    Device,
    Disk,
    Mount,
    Owner,
    Spec,
)
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.disk_plan import Guard

UUID = "11111111-2222-3333-4444-555555555555"
OWNER = Owner("prod", "node1")
SPEC = Spec("disk1", "/data/disk1", serial="S1")
MARKER = {"cluster": "prod", "host": "node1", "disk": "disk1", "uuid": UUID}
XFS = ({"type": "xfs", "uuid": UUID, "label": "km-disk1"},)
EXT4 = ({"type": "ext4", "uuid": "9", "label": "backup"},)
GPT = ({"type": "gpt", "uuid": None, "label": None}, {"type": "PMBR", "uuid": None, "label": None})
HERE = Mount("/data/disk1", ("rw", "noatime", "nodev", "nosuid"))
SPARE = Device("/dev/sdb", size=4 * 1024**3)
OURS = replace(SPARE, contents=XFS, marker=MARKER)
MOUNTED = replace(OURS, mounts=(HERE,), busy=True)

# Device, UUID that fstab has for the mount: state, action, and part of the explanation.
CASES = {
    "a blank disk": (SPARE, "", "blank", "format", "blank"),
    "ready disk": (OURS, UUID, "ready", "use", "ready"),
    "ready disk, mounted": (MOUNTED, UUID, "ready", "use", "ready"),
    "ready disk without a line in fstab": (OURS, "", "ready", "use", "ready"),
    "our disk, still in use by an old container": (
        replace(OURS, busy=True),
        UUID,
        "ready",
        "use",
        "ready",
    ),
    "a run interrupted between format and marker": (
        replace(SPARE, contents=XFS, empty=True),
        "",
        "blank",
        "format",
        "earlier run",
    ),
    "an empty foreign XFS": (
        replace(SPARE, contents=({"type": "xfs", "uuid": UUID, "label": "home"},), empty=True),
        "",
        "foreign",
        "refuse",
        "XFS (label home) without a kafka-metal marker",
    ),
    "an XFS with files": (
        replace(SPARE, contents=XFS),
        "",
        "foreign",
        "refuse",
        "XFS (label km-disk1) without a kafka-metal marker",
    ),
    "ext4": (replace(SPARE, contents=EXT4), "", "foreign", "refuse", "ext4 (label backup)"),
    "ext4, mounted": (
        replace(SPARE, contents=EXT4, mounts=(Mount("/srv"),), busy=True),
        "",
        "foreign",
        "refuse",
        "ext4 (label backup), mounted at /srv",
    ),
    "a partition table": (
        replace(SPARE, contents=GPT, partitions=("sdb1", "sdb2")),
        "",
        "foreign",
        "refuse",
        "PMBR and gpt with partitions sdb1, sdb2",
    ),
    "an empty partition table": (
        replace(SPARE, contents=GPT),
        "",
        "foreign",
        "refuse",
        "PMBR and gpt",
    ),
    "a member of a volume group": (
        replace(
            SPARE,
            contents=({"type": "LVM2_member", "uuid": "x", "label": None},),
            holders=("dm-0",),
        ),
        "",
        "foreign",
        "refuse",
        "LVM2_member, part of dm-0",
    ),
    "an unidentified device in use": (
        replace(SPARE, busy=True),
        "",
        "foreign",
        "refuse",
        "no known signature, but it is in use",
    ),
    "the disk of another host": (
        replace(OURS, marker={**MARKER, "host": "node2"}),
        UUID,
        "swapped",
        "refuse",
        "disk1 of host node2 of cluster prod",
    ),
    "the disk of another cluster": (
        replace(OURS, marker={**MARKER, "cluster": "test"}),
        "",
        "swapped",
        "refuse",
        "of cluster test",
    ),
    "the other disk of this host": (
        replace(OURS, marker={**MARKER, "disk": "disk2"}),
        UUID,
        "swapped",
        "refuse",
        "disk2 of host node1",
    ),
    "a copy of our disk": (
        replace(OURS, marker={**MARKER, "uuid": "other"}),
        UUID,
        "swapped",
        "refuse",
        "a copy",
    ),
    "a marker that cannot be read": (
        replace(OURS, marker={}),
        UUID,
        "swapped",
        "refuse",
        "of host None",
    ),
    "our disk at another place": (
        replace(OURS, mounts=(Mount("/mnt"),)),
        UUID,
        "foreign",
        "refuse",
        "mounted at /mnt",
    ),
    "our disk, mounted read-only": (
        replace(MOUNTED, mounts=(Mount("/data/disk1", ("ro",)),)),
        UUID,
        "read_only",
        "leave",
        "mounted read-only",
    ),
    "our disk, write-protected": (
        replace(OURS, read_only=True),
        UUID,
        "read_only",
        "leave",
        "set read-only",
    ),
    "a blank disk, write-protected": (
        replace(SPARE, read_only=True),
        "",
        "read_only",
        "refuse",
        "set read-only",
    ),
    "our disk with I/O errors": (
        replace(MOUNTED, marker=None, fault="Input/output error"),
        UUID,
        "failed",
        "leave",
        "Input/output error",
    ),
    "our disk that cannot be mounted": (
        replace(SPARE, contents=XFS, fault="Structure needs cleaning"),
        UUID,
        "failed",
        "leave",
        "Structure needs cleaning",
    ),
    "a foreign XFS that cannot be mounted": (
        replace(SPARE, contents=XFS, fault="Structure needs cleaning"),
        "",
        "foreign",
        "refuse",
        "Structure needs cleaning",
    ),
    "a blank disk in place of another one": (SPARE, UUID, "blank", "refuse", "blank"),
}


@pytest.mark.parametrize("case", CASES)
def test_devices_are_classified_by_their_content(case):
    device, known, state, action, text = CASES[case]
    disk = classify(SPEC, [device], OWNER, known=known)
    assert (disk.state, disk.action) == (state, action)
    assert text in disk.found


def test_only_blank_disks_are_formatted_without_overwrite():
    formatted = {
        case
        for case, (device, known, *_) in CASES.items()
        if classify(SPEC, [device], OWNER, known=known).action == "format"
    }
    assert formatted == {"a blank disk", "a run interrupted between format and marker"}


def test_overwrite_never_formats_a_disk_in_use_or_read_only():
    formatted = {
        case
        for case, (device, known, *_) in CASES.items()
        if classify(SPEC, [device], OWNER, known=known, overwrite=True).action == "format"
    }
    held = {case for case, (d, *_) in CASES.items() if d.mounts or d.holders or d.busy}
    protected = {"our disk, write-protected", "a blank disk, write-protected"}
    assert formatted == CASES.keys() - held - protected
    refused = classify(SPEC, [MOUNTED], OWNER, known=UUID, overwrite=True)
    assert "it is mounted at /data/disk1" in refusals([refused])[0]


def test_only_a_whole_xfs_not_mounted_elsewhere_is_adopted():
    adopted = {
        case
        for case, (device, known, state, *_) in CASES.items()
        if state in ("foreign", "swapped")
        and classify(SPEC, [device], OWNER, known=known, adopt=True).action == "use"
    }
    assert adopted == {
        "an empty foreign XFS",
        "an XFS with files",
        "the disk of another host",
        "the disk of another cluster",
        "the other disk of this host",
        "a copy of our disk",
        "a marker that cannot be read",
    }


def test_adopted_disk_is_marked_and_not_formatted():
    device = replace(MOUNTED, marker=None)
    disk = classify(SPEC, [device], OWNER, known=UUID, adopt=True)
    assert texts(disk, GUARDED, LINE) == [
        "disk1 (/dev/sdb, 4.0 GiB) becomes disk1 of this host with all its data: "
        "XFS (label km-disk1) without a kafka-metal marker, mounted at /data/disk1"
    ]
    assert refusals([disk]) == []


def test_unknown_missing_disk_is_refused_and_known_one_reported():
    new, lost = classify(SPEC, [], OWNER), classify(SPEC, [], OWNER, known=UUID)
    assert (new.state, lost.state) == ("missing", "missing")
    assert refusals([new, lost]) == ["disk1 (serial S1): found no device has serial S1"]
    assert problems([new, lost]) == [
        "disk1 (serial S1) is missing: no device has serial S1; its log dir /data/disk1 is "
        "offline, nothing is written below the empty mount point"
    ]


def test_refusal_names_content_and_remedy():
    disk = classify(SPEC, [replace(SPARE, contents=EXT4, serial="S1")], OWNER)
    assert refusals([disk]) == [
        "disk1 (/dev/sdb, 4.0 GiB, serial S1): found ext4 (label backup); allowed: a blank disk; "
        "to erase its content, name disk1 in overwrite"
    ]


def test_two_devices_for_one_name_are_refused():
    disk = classify(SPEC, [SPARE, replace(SPARE, node="/dev/sdc")], OWNER, overwrite=True)
    assert disk.action == "refuse"
    assert "/dev/sdb and /dev/sdc both have serial S1" in disk.found


def test_two_names_for_one_device_are_refused():
    one = classify(SPEC, [SPARE], OWNER)
    two = classify(Spec("disk2", "/data/disk2", path="/dev/sdb"), [SPARE], OWNER)
    assert [disk.action for disk in check_together([one, two])] == ["refuse", "refuse"]


def test_copies_of_one_file_system_are_refused():
    one = classify(SPEC, [OURS], OWNER, known=UUID)
    marker = {**MARKER, "disk": "disk2"}
    copy = replace(OURS, node="/dev/sdc", marker=marker)
    two = classify(Spec("disk2", "/data/disk2", serial="S2"), [copy], OWNER)
    assert [disk.action for disk in check_together([one, two])] == ["refuse", "refuse"]


WRONG = {
    "name": (Spec("Disk 1", "/data/1", serial="x"), "'Disk 1': a name"),
    "no identifier": (Spec("d", "/data/1"), "found none of serial, wwn, path"),
    "two identifiers": (Spec("d", "/data/1", serial="x", path="/dev/x"), "found serial and path"),
    "relative mount": (Spec("d", "data", serial="x"), "mount 'data'"),
    "root": (Spec("d", "/", serial="x"), "mount '/'"),
    "name twice": (Spec("disk1", "/data/2", serial="x"), "the name is declared twice"),
    "nested mount": (Spec("d", "/data/disk1/more", serial="x"), "overlaps that of disk1"),
    "same mount": (Spec("d", "/data/disk1", serial="x"), "overlaps that of disk1"),
    "same serial": (Spec("d", "/data/2", serial="S1"), "serial S1 is also declared for disk1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_invalid_declaration_is_an_error(case):
    spec, text = WRONG[case]
    errors = check_specs([SPEC, spec])
    assert len(errors) == 1
    assert text in errors[0]


def test_valid_declaration_has_no_errors():
    assert check_specs([SPEC, Spec("disk10", "/data/disk10", wwn="0x5")]) == []


@pytest.mark.parametrize(
    ("spec", "found", "same"),
    [
        ("WD-WX1", "WD-WX1", True),
        ("WD-WX1", "  wd-wx1 ", True),
        ("0x50014ee2b5f1a2c3", "naa.50014ee2b5f1a2c3", True),
        ("eui.0025385b71b0", "nvme.0025385b71b0", True),
        ("50014ee2b5f1a2c3", "0x50014EE2B5F1A2C3", True),
        ("S1", "S10", False),
        ("", "", False),
    ],
)
def test_identifiers_are_normalized_for_comparison(spec, found, same):
    assert same_identifier(spec, found) is same


LINE = (
    f"UUID={UUID} /data/disk1 xfs noatime,nodev,nosuid,nofail,"
    "x-systemd.before=docker.service,x-systemd.device-timeout=30s 0 0\n"
)
GUARDED = Guard(exists=True, immutable=True)


def texts(disk: Disk, guard: Guard, fstab: str) -> list[str]:
    return [step.text for step in disk_plan.plan(disk, guard, fstab)]


def test_ready_disk_has_no_steps():
    assert texts(classify(SPEC, [MOUNTED], OWNER, known=UUID), GUARDED, LINE) == []


def test_blank_disk_has_all_steps_in_order():
    assert texts(classify(SPEC, [SPARE], OWNER), Guard(), "") == [
        "disk1 (/dev/sdb, 4.0 GiB) is formatted with XFS",
        "/data/disk1 is created and becomes immutable while nothing is mounted on it",
        "/etc/fstab mounts disk1 at /data/disk1 by UUID",
        "disk1 (/dev/sdb, 4.0 GiB) is mounted at /data/disk1",
    ]


def test_plan_names_the_overwritten_content():
    disk = classify(SPEC, [replace(SPARE, contents=EXT4)], OWNER, overwrite=True)
    assert texts(disk, GUARDED, "")[0] == (
        "disk1 (/dev/sdb, 4.0 GiB) is formatted with XFS, over ext4 (label backup)"
    )


def test_mounted_disk_gets_missing_options_and_guard():
    device = replace(MOUNTED, mounts=(Mount("/data/disk1", ("rw", "relatime")),))
    assert texts(classify(SPEC, [device], OWNER, known=UUID), Guard(exists=True), LINE) == [
        "/data/disk1 becomes immutable while nothing is mounted on it",
        "/data/disk1 is remounted with noatime, nodev, nosuid",
    ]


def test_missing_disk_gets_only_its_guard():
    disk = classify(SPEC, [], OWNER, known=UUID)
    assert texts(disk, GUARDED, LINE) == []
    assert texts(disk, Guard(exists=True), LINE) == [
        "/data/disk1 becomes immutable while nothing is mounted on it"
    ]


@pytest.mark.parametrize(
    ("guard", "points", "text"),
    [
        (Guard(exists=True, entries=3), [], "3 entries in /data/disk1"),
        (GUARDED, [Mount("/data/disk1")], "another device mounted at /data/disk1"),
    ],
)
def test_occupied_mount_point_is_refused(guard, points, text):
    disk = classify(SPEC, [SPARE], OWNER)
    (checked,) = disk_plan.check_mount_points([disk], {"disk1": guard}, points)
    assert checked.action == "refuse"
    assert text in checked.found
    assert texts(checked, guard, "") == []


def test_files_hidden_by_a_mount_are_reported():
    disk = classify(SPEC, [MOUNTED], OWNER, known=UUID)
    assert disk_plan.hidden_files_messages(disk, GUARDED) == []
    assert (
        "2 entries in /data/disk1" in disk_plan.hidden_files_messages(disk, Guard(True, True, 2))[0]
    )


def test_record_has_the_old_state_until_the_steps_are_done():
    disk = classify(SPEC, [SPARE], OWNER)
    before, after = disk_plan.disk_result(disk, False), disk_plan.disk_result(disk, True, "new")
    assert (before["state"], before["mounted"], before["uuid"]) == ("blank", False, "")
    assert (after["state"], after["mounted"], after["uuid"]) == ("ready", True, "new")
