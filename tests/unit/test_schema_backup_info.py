import os
import zipfile

import pytest
from ansible_collections.metal.kafka.plugins.modules import schema_backup_info

BACKUP = (
    "manifest-2026-11-28T19:43:51.077Z.Manifest.json",
    "content/9e86.Content.json",
    "content/9e86.Content.data",
    "groups/default/artifacts/a/b/MetaData.Artifact.json",
    "groups/default/artifacts/payments-value/MetaData.Artifact.json",
    "groups/default/artifacts/payments-value/versions/1.ArtifactVersion.json",
    "groups/default/artifacts/payments-value/versions/2.ArtifactVersion.json",
    "groups/default/artifacts/a/b/versions/1.ArtifactVersion.json",
    "groups/default/artifacts/payments-value/branches/latest.Branch.json",
    "groups/default/artifacts/payments-value/rules/COMPATIBILITY.ArtifactRule.json",
)


def write(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return str(path)


def test_subjects_and_versions_are_counted(tmp_path):
    path = write(tmp_path / "schemas.zip", BACKUP)
    assert schema_backup_info.count(path) == {"subjects": 2, "versions": 3}


def test_a_backup_of_an_empty_registry_has_none(tmp_path):
    path = write(tmp_path / "schemas.zip", BACKUP[:1])
    assert schema_backup_info.count(path) == {"subjects": 0, "versions": 0}


def test_a_file_that_is_no_backup_is_refused(tmp_path):
    other = tmp_path / "other.zip"
    cut = tmp_path / "cut.zip"
    write(other, BACKUP[1:])
    cut.write_bytes(other.read_bytes()[:100])
    for path, reason in (
        (other, "without the manifest"),
        (cut, "an incomplete one"),
        (tmp_path, "cannot be read: Is a directory"),
        (tmp_path / "none.zip", "cannot be read: No such file or directory"),
    ):
        with pytest.raises(ValueError, match=reason):
            schema_backup_info.count(str(path))


@pytest.mark.parametrize(("offset", "value"), [(6, 99), (46, 255)], ids=["version", "name"])
def test_a_damaged_index_is_refused(tmp_path, offset, value):
    damaged = tmp_path / "schemas.zip"
    write(damaged, ("ä", *BACKUP))
    content = bytearray(damaged.read_bytes())
    content[content.index(b"PK\x01\x02") + offset] = value
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match="found no zip file, or an incomplete one"):
        schema_backup_info.count(str(damaged))


def test_a_named_pipe_does_not_block(tmp_path):
    pipe = tmp_path / "schemas.zip"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(ValueError, match="found no regular file"):
            schema_backup_info.count(str(path))


def test_a_link_to_a_backup_is_read(tmp_path):
    write(tmp_path / "schemas.zip", BACKUP)
    (tmp_path / "link").symlink_to("schemas.zip")
    assert schema_backup_info.count(str(tmp_path / "link"))["versions"] == 3
