import json

import pytest
from kafka_metal_reconciliation.sink_log import data_files

DAY = "date=2026-03-01"


def write(root, name, size=3):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    return path


def commit(root, batch, *entries):
    lines = ["v1"]
    for entry in entries:
        name, action = entry if isinstance(entry, tuple) else (entry, "add")
        path = f"file:///shared/archive/{root.name}/{name}"
        lines.append(json.dumps({"path": path, "size": 3, "isDir": False, "action": action}))
    log = root / "_spark_metadata"
    log.mkdir(exist_ok=True)
    (log / batch).write_text("\n".join(lines))


def names(root):
    return [str(path.relative_to(root)) for path in data_files(root)]


def test_only_committed_files_are_returned(tmp_path):
    write(tmp_path, f"{DAY}/a.parquet")
    write(tmp_path, f"{DAY}/uncommitted.parquet")
    write(tmp_path, f"{DAY}/orphan.parquet", size=0)
    commit(tmp_path, "0", f"{DAY}/a.parquet")
    assert names(tmp_path) == [f"{DAY}/a.parquet"]


def test_compacted_log_replaces_earlier_entries(tmp_path):
    commit(tmp_path, "8", f"{DAY}/a.parquet")
    commit(tmp_path, "9.compact", f"{DAY}/a.parquet", f"{DAY}/b.parquet")
    commit(tmp_path, "10", f"{DAY}/c.parquet")
    commit(tmp_path, "19.compact", *(f"{DAY}/{name}.parquet" for name in "abcd"))
    commit(tmp_path, "20", f"{DAY}/e.parquet")
    assert names(tmp_path) == [f"{DAY}/{name}.parquet" for name in "abcde"]


def test_temporary_log_files_are_ignored(tmp_path):
    commit(tmp_path, "0", f"{DAY}/a.parquet")
    commit(tmp_path, ".1.tmp", f"{DAY}/b.parquet")
    commit(tmp_path, ".0.crc", f"{DAY}/c.parquet")
    assert names(tmp_path) == [f"{DAY}/a.parquet"]


def test_deleted_files_are_ignored(tmp_path):
    commit(tmp_path, "0", f"{DAY}/a.parquet", f"{DAY}/b.parquet")
    commit(tmp_path, "1", (f"{DAY}/a.parquet", "delete"))
    assert names(tmp_path) == [f"{DAY}/b.parquet"]


def test_escaped_and_nested_folders_are_resolved(tmp_path):
    commit(tmp_path, "0", f"{DAY}/city=a%20b/a.parquet", "plain.parquet")
    assert names(tmp_path) == [f"{DAY}/city=a b/a.parquet", "plain.parquet"]


def test_without_log_all_nonempty_files_are_returned(tmp_path):
    write(tmp_path, f"{DAY}/a.parquet")
    write(tmp_path, f"{DAY}/orphan.parquet", size=0)
    write(tmp_path, "_temporary/b.parquet")
    write(tmp_path, f"{DAY}/.c.parquet")
    assert names(tmp_path) == [f"{DAY}/a.parquet"]


def test_unknown_log_version_is_refused(tmp_path):
    (tmp_path / "_spark_metadata").mkdir()
    (tmp_path / "_spark_metadata" / "0").write_text("v2\n{}")
    with pytest.raises(ValueError, match="version 'v2'"):
        data_files(tmp_path)
