"""The last good declaration of a container is saved for a way back, and readable for root only."""

import pytest
from plays import execute_module

DECLARED = {"definition": {"user": "1:1", "pids_limit": 5}, "files": [{"content": "a={{ b }}\n"}]}


def call(path, check=False, **arguments):
    """Run the module; return its result."""
    return execute_module("last_good", {"path": str(path), **arguments}, check)


def test_a_saved_declaration_is_read_again(tmp_path):
    path = tmp_path / ".last-good/one.json"
    assert call(path)["declaration"] == {}
    assert not path.parent.exists()

    assert call(path, declaration=DECLARED)["changed"] is False

    assert call(path)["declaration"] == DECLARED
    # It contains secrets.
    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    written = path.stat().st_mtime_ns
    call(path, declaration=DECLARED)
    assert path.stat().st_mtime_ns == written
    assert [each.name for each in path.parent.iterdir()] == ["one.json"]


def test_a_readable_file_becomes_private_again(tmp_path):
    path = tmp_path / "one.json"
    call(path, declaration=DECLARED)
    path.chmod(0o644)
    call(path, declaration=DECLARED)
    assert path.stat().st_mode & 0o777 == 0o600


def test_check_mode_saves_nothing(tmp_path):
    call(tmp_path / "new/one.json", check=True, declaration=DECLARED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"{", b'{"a": "\xff"}', b"[]"])
def test_a_damaged_file_fails_with_its_path(tmp_path, content):
    path = tmp_path / "one.json"
    path.write_bytes(content)
    found = call(path)
    assert found["failed"]
    assert f"{path}: the last good declaration cannot be read or written: " in found["msg"]
    assert "allowed: a file that a run has written, or none" in found["msg"]
    # The next good one replaces it.
    call(path, declaration=DECLARED)
    assert call(path)["declaration"] == DECLARED


def test_a_file_that_cannot_be_written_fails_with_its_path(tmp_path):
    """Ansible would mask values of an option with no_log in the message."""
    path = tmp_path / "file/one.json"
    path.parent.write_text("")
    found = call(path, declaration={"definition": {"name": "one"}})
    assert f"{path}: the last good declaration cannot be read or written: " in found["msg"]
