"""Files and directories of a deleted cluster are deleted, without the targets of links."""

import json
import shutil

import pytest
from ansible.module_utils import basic
from ansible_collections.metal.kafka.plugins.modules import absent_paths


@pytest.fixture
def run(monkeypatch, capsys):
    def run(paths, check=False):
        arguments = {"paths": [str(path) for path in paths], "_ansible_check_mode": check}
        parameters = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", parameters)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit):
            absent_paths.main()
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def tree(tmp_path):
    """A directory with a file, a file, and a link to foreign data."""
    for name in ("config/a/b", "file", "others/data"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "link").symlink_to(tmp_path / "others")
    (tmp_path / "config/inside").symlink_to(tmp_path / "others")
    return tmp_path


def test_links_are_deleted_without_their_targets(run, tree):
    paths = [tree / "config", tree / "file", f"{tree}/link/", tree / "none"]
    planned, first, second = run(paths, check=True), run(paths), run(paths)

    assert (
        planned["deleted"]
        == first["deleted"]
        == [f"{tree}/{n}" for n in ("config", "file", "link")]
    )
    assert first["changed"]
    assert not second["changed"]
    assert [path.name for path in tree.iterdir()] == ["others"]
    assert (tree / "others/data").exists()


def test_check_mode_deletes_nothing(run, tree):
    assert run([tree / "config"], check=True)["changed"]
    assert (tree / "config/a/b").exists()


@pytest.mark.parametrize("path", ["/", "//", "file", "config/", ""])
def test_relative_path_or_root_is_refused_before_any_deletion(run, tree, path):
    found = run([tree / "config", path])

    assert "allowed: absolute paths below the root" in found["msg"]
    assert (tree / "config/a/b").exists()


def test_failed_deletion_does_not_block_the_others(run, tree, monkeypatch):
    def busy(path):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(shutil, "rmtree", busy)
    found = run([tree / "config", tree / "file"])

    assert found["failed"]
    assert f"{tree}/config: [Errno 16]" in found["msg"]
    assert not (tree / "file").exists()
