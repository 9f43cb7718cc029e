"""A run writes the declaration for the cluster's page, and the end of the cluster deletes it."""

import json

import plays
from kafka_metal_watch._problems.content_problems import FILE


def call(folder, check=False, **arguments):
    """Run the module; return its result."""
    given = {"cluster": "local", "directory": str(folder), **arguments}
    return plays.execute_module("declared_content", given, check)


def test_the_file_is_written_and_deleted(tmp_path):
    path = tmp_path / "textfile" / FILE.format(cluster="local")
    declared = {"topics": {"a": {}}, "users": {"me": []}, "quotas": []}

    found = call(path.parent, declared=declared)

    assert (found["changed"], found["path"]) == (False, str(path))
    # The exporter compares nothing else.
    assert json.loads(path.read_text()) == {"topics": {"a": {}}}
    # The exporter runs as another user.
    assert path.stat().st_mode & 0o777 == 0o644
    call(path.parent, check=True, declared={})
    assert path.exists()
    call(path.parent, declared={})
    assert list(path.parent.iterdir()) == []


def test_a_directory_that_cannot_be_written_fails_with_the_reason(tmp_path):
    (tmp_path / "file").touch()
    found = call(tmp_path / "file", declared={"topics": {}})
    assert found["failed"]
    assert "the declared content cannot be written for monitoring" in found["msg"]


def write(folder, directory):
    """Run the tasks of a site without brokers, whose declared content is empty."""
    plays.with_collection(folder)
    entry = {"name": "metal.kafka.monitoring", "tasks_from": "write_declared_content"}
    task = {"include_role": {**entry, "rolespec_validate": False}}
    given = {"cluster_name": "local", "monitoring_textfile_dir": str(directory)}
    return plays.run(
        folder, [{"hosts": "all", "tasks": [task]}], {"monitoring": {"localhost": given}}
    )


def test_empty_content_deletes_the_file(tmp_path):
    path = tmp_path / "textfile" / FILE.format(cluster="local")
    path.parent.mkdir()
    path.write_text("{}")
    code, output = write(tmp_path, path.parent)
    assert (code, path.exists()) == (0, False), output


def test_a_failed_write_fails_no_run_and_names_what_writes_it_again(tmp_path):
    (tmp_path / "file").touch()
    code, output = write(tmp_path, tmp_path / "file/textfile")
    assert code == 0, output
    assert "with their old declaration, until make topics writes the new one" in output
