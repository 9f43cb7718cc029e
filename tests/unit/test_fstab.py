"""Edits of fstab change only lines of data disks."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import fstab

OTHERS = "# made by hand\nUUID=1 / ext4\terrors=remount-ro 0 1\n\nLABEL=x  /srv xfs defaults 0 0"


def test_other_lines_are_preserved_byte_for_byte():
    after = fstab.set_mount_lines(OTHERS, {"/data/disk1": "u1"})
    assert after == f"{OTHERS}\n{fstab.mount_line('u1', '/data/disk1')}\n"


def test_existing_line_is_replaced_in_place():
    before = (
        fstab.set_mount_lines(OTHERS, {"/data/disk1": "u1"}) + "tmpfs /tmp tmpfs defaults 0 0\n"
    )
    after = fstab.set_mount_lines(before, {"/data/disk1": "u2"})
    assert after == before.replace("UUID=u1", "UUID=u2")


def test_second_edit_changes_nothing():
    once = fstab.set_mount_lines(OTHERS, {"/data/disk1": "u1", "/data/disk2": "u2"})
    assert fstab.set_mount_lines(once, {"/data/disk2": "u2"}) == once
    assert fstab.set_mount_lines(once, {"/data/disk1": "u1", "/data/disk2": "u2"}) == once


def test_mount_point_has_one_line():
    twice = "LABEL=a /data/disk1 xfs defaults 0 0\nUUID=u1 /data/disk1 xfs defaults 0 0\n"
    assert (
        fstab.set_mount_lines(twice, {"/data/disk1": "u1"})
        == f"{fstab.mount_line('u1', '/data/disk1')}\n"
    )


def test_commented_lines_are_ignored():
    text = "#UUID=u0 /data/disk1 xfs defaults 0 0\n"
    assert fstab.set_mount_lines(text, {"/data/disk1": "u1"}).startswith(text)
    assert fstab.uuid_of_mount(text, "/data/disk1") == ""


@pytest.mark.parametrize(
    ("text", "uuid"),
    [
        ("UUID=u1 /data/disk1 xfs defaults 0 0\n", "u1"),
        ('UUID="u1" /data/disk1 xfs\n', "u1"),
        ("LABEL=a /data/disk1 xfs defaults 0 0\n", ""),
        ("UUID=u1 /data/disk10 xfs defaults 0 0\n", ""),
        ("", ""),
    ],
)
def test_known_returns_the_uuid_of_a_mount(text, uuid):
    assert fstab.uuid_of_mount(text, "/data/disk1") == uuid


def test_space_in_a_mount_point_is_escaped():
    text = fstab.set_mount_lines("", {"/data/disk 1": "u1"})
    assert "/data/disk\\0401 " in text
    assert fstab.uuid_of_mount(text, "/data/disk 1") == "u1"
