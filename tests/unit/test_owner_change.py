"""Data follows the user of its service, once, and shared data never does."""

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
def given(monkeypatch):
    """Owners that were given, by path: who runs the tests may give nothing away."""
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
    """A directory with what a service and our marker leave in it."""
    folder = tmp_path / "data"
    (folder / "version-2").mkdir(parents=True)
    (folder / "version-2" / "log.1").touch()
    (folder / "outside").symlink_to("/etc")
    (folder / data_ownership.MARKER).touch()
    return folder


def test_everything_gets_the_new_owner_and_the_directory_last(given, data, monkeypatch):
    owned_by(monkeypatch, {})
    owner_change.hand_over(str(data), 77, 78)

    names = ["", "/outside", "/version-2", "/version-2/log.1"]
    assert sorted(given) == [f"{data}{name}" for name in names]
    assert set(given.values()) == {(77, 78)}
    assert list(given)[-1] == str(data)


def owned_by(monkeypatch, ids):
    """Names whose owner is another one than he is."""
    real = os.stat

    def found(path, **options):
        told = real(path, **options)
        uid = ids.get(path, UID if UID else 1000)
        return os.stat_result((*told[:4], uid, *told[5:])) if "dir_fd" in options else told

    monkeypatch.setattr(owner_change.os, "stat", found)


def test_what_belongs_to_root_stays_his(given, data, monkeypatch):
    owned_by(monkeypatch, {"version-2": 0})
    owner_change.hand_over(str(data), 77, 78)

    assert f"{data}/version-2" not in given
    assert f"{data}/version-2/log.1" in given


def test_what_an_interrupted_change_left_goes_on_or_back(given, data, monkeypatch):
    """Half of the content is the new user's already, the directory is not."""
    owned_by(monkeypatch, {"version-2": 10004, "log.1": 10001, "outside": 10001})
    owner_change.hand_over(str(data), 10004, 10004)
    assert {f"{data}/version-2/log.1", str(data)} <= set(given)
    assert f"{data}/version-2" not in given

    given.clear()
    owner_change.hand_over(str(data), 10001, 10001)
    assert {f"{data}/version-2", str(data)} <= set(given)


def test_the_directory_is_left_where_something_in_it_cannot_be_given(given, data, monkeypatch):
    """Otherwise the next run would take it for done."""
    real = os.scandir

    def broken(path):
        if isinstance(path, int) and os.readlink(f"/proc/self/fd/{path}").endswith("version-2"):
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr(owner_change.os, "scandir", broken)
    with pytest.raises(OSError, match="Input/output"):
        owner_change.hand_over(str(data), 77, 78)

    assert str(data) not in given


def made_by(monkeypatch, uid):
    """The user to whom every link belongs."""
    real = os.lstat

    def found(path):
        told = real(path)
        return os.stat_result((*told[:4], uid, *told[5:]))

    monkeypatch.setattr(owner_change.os, "lstat", found)


@pytest.mark.parametrize("act", ["hand_over", "give", "share"])
def test_a_link_that_somebody_planted_is_not_followed(given, data, tmp_path, monkeypatch, act):
    """Members of the group of a shared directory can put one where a directory was."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    link.symlink_to(target)
    made_by(monkeypatch, 1234)

    (said,) = owner_change.planted_links([str(link), str(target)])
    assert said == (
        f"{link}: found a link to {target} that user 1234 made; "
        "allowed: a directory, or a link that belongs to root"
    )
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        getattr(owner_change, act)(str(link), *((GID,) if act == "share" else (77, 78)))
    assert given == {}


def test_a_link_of_root_leads_to_the_data(given, data, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(data)
    made_by(monkeypatch, 0)
    owned_by(monkeypatch, {})

    assert owner_change.planted_links([str(link)]) == []
    owner_change.hand_over(str(link), 77, 78)
    assert {str(data), f"{data}/version-2/log.1"} <= set(given)


def test_a_group_writes_to_directories_and_files_stay_as_they_are(given, data):
    (data / "version-2").chmod(0o750)
    (data / "version-2" / "log.1").chmod(0o640)
    data.chmod(0o750)
    owner_change.share(str(data), GID)

    assert given == {str(data): (0, GID)}
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


def test_a_plan_names_it_and_touches_nothing(given, data):
    outcome = converged(data, dry=True)

    assert outcome.steps == [f"directory {data} and its content get owner {UID} -> {UID + 1}"]
    assert outcome.differs == [str(data)]
    assert given == {}


def test_content_is_not_read_where_the_owner_is_right(given, data, monkeypatch):
    monkeypatch.setattr(owner_change, "hand_over", None)
    assert converged(data, ids=(UID, GID)).differs == []


def test_log_dirs_of_brokers_are_never_gone_over(given, data, monkeypatch):
    monkeypatch.setattr(owner_change, "hand_over", None)
    monkeypatch.setattr(owned_directories.os, "chown", owner_change.os.chown)
    assert converged(data, content="keep").steps == [f"directory {data} gets its owner"]
    assert given == {str(data): (UID + 1, GID)}


@pytest.mark.parametrize("content", ["report", "change"])
def test_a_shared_directory_is_gone_over_again_before_a_service_changes(
    given, data, monkeypatch, content
):
    """One that ran as its former user may have made directories since."""
    monkeypatch.setattr(owner_change, "is_shared", lambda path, gid: True)
    (data / "version-2").chmod(0o750)
    shared = {"cluster": "one", "service": "driver", "shared": [str(data)]}
    data_ownership.mark(str(data), "one")
    outcome = converged(data, content=content, shared_group=GID, owner_of=shared)

    assert outcome.differs == []
    written = stat.S_IMODE((data / "version-2").stat().st_mode)
    assert written == (0o2770 if content == "change" else 0o750)
