"""The last good declaration of a container is saved for a way back, and readable for root only."""

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


def test_check_mode_saves_nothing(tmp_path):
    call(tmp_path / "new/one.json", check=True, declaration=DECLARED)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_fails_with_its_path(tmp_path):
    path = tmp_path / "one.json"
    path.write_text("{")
    found = call(path)
    assert found["failed"]
    assert f"{path}: the last good declaration cannot be read or written: " in found["msg"]
    assert "allowed: a file that a run has written, or none" in found["msg"]
    # The next good one replaces it.
    call(path, declaration=DECLARED)
    assert call(path)["declaration"] == DECLARED
