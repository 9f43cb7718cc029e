"""Changes of the owner of a service's data; shared data keeps its owners."""

import os
import stat

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    data_ownership,
    owned_directories,
    owner_change,
)

UID, GID = os.getuid(), os.getgid()


@pytest.fixture
def owners(monkeypatch):
    """Changed owners by path: the user of the tests may not change owners."""
    found = {}

    def chown(path, uid, gid, dir_fd=None, follow_symlinks=True):
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        if dir_fd is not None:
            assert not follow_symlinks
            path = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), path)
        found[str(path)] = (uid, gid)

    monkeypatch.setattr(owner_change.os, "chown", chown)
    return found


@pytest.fixture
def data(tmp_path):
    """A directory with files of a service and the marker."""
    folder = tmp_path / "data"
    (folder / "version-2").mkdir(parents=True)
    (folder / "version-2" / "log.1").touch()
    (folder / "outside").symlink_to("/etc")
    (folder / data_ownership.MARKER).touch()
    return folder


def test_directory_changes_its_owner_after_its_content(owners, data, monkeypatch):
    owned_by(monkeypatch, {})
    owner_change.hand_over(str(data), 77, 78)

    names = ["", "/outside", "/version-2", "/version-2/log.1"]
    assert sorted(owners) == [f"{data}{name}" for name in names]
    assert set(owners.values()) == {(77, 78)}
    assert list(owners)[-1] == str(data)


def owned_by(monkeypatch, ids):
    """Replace the owners of files, by name."""
    real = os.stat

    def found(path, **options):
        status = real(path, **options)
        uid = ids.get(path, UID if UID else 1000)
        return os.stat_result((*status[:4], uid, *status[5:])) if "dir_fd" in options else status

    monkeypatch.setattr(owner_change.os, "stat", found)


def test_files_of_root_keep_their_owner(owners, data, monkeypatch):
    owned_by(monkeypatch, {"version-2": 0})
    owner_change.hand_over(str(data), 77, 78)

    assert f"{data}/version-2" not in owners
    assert f"{data}/version-2/log.1" in owners


def test_interrupted_change_can_resume_or_revert(owners, data, monkeypatch):
    """Half of the content already belongs to the new user, the directory does not."""
    owned_by(monkeypatch, {"version-2": 10004, "log.1": 10001, "outside": 10001})
    owner_change.hand_over(str(data), 10004, 10004)
    assert {f"{data}/version-2/log.1", str(data)} <= set(owners)
    assert f"{data}/version-2" not in owners

    owners.clear()
    owner_change.hand_over(str(data), 10001, 10001)
    assert {f"{data}/version-2", str(data)} <= set(owners)


def test_directory_keeps_its_owner_after_an_error(owners, data, monkeypatch):
    """Otherwise the next run would consider the change finished."""
    real = os.scandir

    def broken(path):
        if isinstance(path, int) and os.readlink(f"/proc/self/fd/{path}").endswith("version-2"):
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr(owner_change.os, "scandir", broken)
    with pytest.raises(OSError, match="Input/output"):
        owner_change.hand_over(str(data), 77, 78)

    assert str(data) not in owners


def link_owner(monkeypatch, uid):
    """Replace the owner of all links."""
    real = os.lstat

    def found(path):
        status = real(path)
        return os.stat_result((*status[:4], uid, *status[5:]))

    monkeypatch.setattr(owner_change.os, "lstat", found)


@pytest.mark.parametrize("act", ["hand_over", "change_owner", "make_group_writable"])
def test_planted_link_is_not_followed(owners, data, tmp_path, monkeypatch, act):
    """Group members can replace a directory in a shared directory by a link."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    link.symlink_to(target)
    link_owner(monkeypatch, 1234)

    (message,) = owner_change.planted_links([str(link), str(target)])
    assert message == (
        f"{link}: found a link to {target} that user 1234 made; "
        "allowed: a directory, or a link that belongs to root"
    )
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        getattr(owner_change, act)(
            str(link), *((GID,) if act == "make_group_writable" else (77, 78))
        )
    assert owners == {}


def test_link_of_root_is_followed(owners, data, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(data)
    link_owner(monkeypatch, 0)
    owned_by(monkeypatch, {})

    assert owner_change.planted_links([str(link)]) == []
    owner_change.hand_over(str(link), 77, 78)
    assert {str(data), f"{data}/version-2/log.1"} <= set(owners)


def test_shared_directories_are_group_writable_and_files_unchanged(owners, data):
    (data / "version-2").chmod(0o750)
    (data / "version-2" / "log.1").chmod(0o640)
    data.chmod(0o750)
    owner_change.make_group_writable(str(data), GID)

    assert owners == {str(data): (0, GID)}
    assert stat.S_IMODE(data.stat().st_mode) == 0o2770
    assert stat.S_IMODE((data / "version-2").stat().st_mode) == 0o2770
    assert stat.S_IMODE((data / "version-2" / "log.1").stat().st_mode) == 0o640


SPEC = {
    "directories": [],
    "directory_mode": "0750",
    "disk_mounts": [],
    "owner_of": None,
    "shared_group": None,
    "content": "report",
}


def converged(data, dry=False, ids=(UID + 1, GID), **spec):
    outcome = owned_directories.Outcome()
    owned_directories.converge({**SPEC, "directories": [str(data)], **spec}, ids, dry, outcome)
    return outcome


def test_check_mode_reports_the_change(owners, data):
    outcome = converged(data, dry=True)

    assert outcome.steps == [f"directory {data} and its content get owner {UID} -> {UID + 1}"]
    assert outcome.differs == [str(data)]
    assert owners == {}


def test_content_is_not_read_if_the_owner_is_right(owners, data, monkeypatch):
    monkeypatch.setattr(owner_change, "hand_over", None)
    assert converged(data, ids=(UID, GID)).differs == []


def test_log_dirs_of_brokers_are_never_walked(owners, data, monkeypatch):
    monkeypatch.setattr(owner_change, "hand_over", None)
    monkeypatch.setattr(owned_directories.os, "chown", owner_change.os.chown)
    assert converged(data, content="keep").steps == [f"directory {data} gets its owner"]
    assert owners == {str(data): (UID + 1, GID)}


@pytest.mark.parametrize("content", ["report", "change"])
def test_shared_directory_is_checked_again_before_a_user_change(owners, data, monkeypatch, content):
    """The service may have created directories as its former user."""
    monkeypatch.setattr(owner_change, "is_shared", lambda path, gid: True)
    (data / "version-2").chmod(0o750)
    shared = {"cluster": "one", "service": "driver", "shared": [str(data)]}
    data_ownership.mark(str(data), "one")
    outcome = converged(data, content=content, shared_group=GID, owner_of=shared)

    assert outcome.differs == []
    written = stat.S_IMODE((data / "version-2").stat().st_mode)
    assert written == (0o2770 if content == "change" else 0o750)
