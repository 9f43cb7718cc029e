"""Client files on the control node: written once, readable for one user, without a module."""

import stat

import pytest
from plays import run, with_collection

SECRET = "password-of-the-test"


@pytest.fixture
def write(tmp_path):
    """Function that writes files; returns exit code and output."""
    with_collection(tmp_path)
    folder = tmp_path / "operator"

    def play(files, *options):
        task = {"metal.kafka.client_files": {"directory": str(folder), "files": files}}
        return run(
            tmp_path, [{"hosts": "kafka", "tasks": [task]}], {"kafka": {"node1": {}}}, *options
        )

    play.folder = folder
    return play


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_private_and_written_once(write):
    files = [{"name": "client.conf", "content": SECRET}]
    code, output = write(files)
    assert code == 0, output
    assert "changed=1" in output
    (path,) = write.folder.glob("client.conf")
    assert (path.read_text(), mode(path), mode(write.folder)) == (SECRET, 0o400, 0o700)
    assert "changed=0" in write(files)[1]


def test_other_files_are_removed(write):
    write([{"name": "a", "content": ""}, {"name": "b", "content": ""}])
    write([{"name": "a", "content": ""}])
    assert [each.name for each in write.folder.glob("[a-z]*")] == ["a"]


def test_check_mode_writes_nothing_and_no_output_has_contents(write):
    code, output = write([{"name": "client.conf", "content": SECRET}], "--check", "--diff", "-vvv")
    assert code == 0, output
    assert "changed=1" in output
    assert not write.folder.exists()
    assert SECRET not in output
