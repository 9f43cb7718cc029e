"""The local file system of the image equals Hadoop's, but starts no processes."""

import stat
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

# Modes of files and directories; Hadoop removes execute bits from new files itself.
MODES = (0o600, 0o644, 0o640, 0o755, 0o700, 0o1777)


@pytest.fixture(params=["own", "hadoop"])
def disk(request: pytest.FixtureRequest, spark: SparkSession) -> tuple[Any, Any]:
    """The driver's file system and Hadoop's, both of which must pass each test; with the JVM."""
    jvm: Any = spark._jvm
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    if request.param == "hadoop":
        settings = jvm.org.apache.hadoop.conf.Configuration(settings)
        settings.set("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem")
        settings.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.LocalFs")
    root = jvm.java.net.URI("file:///")
    return jvm.org.apache.hadoop.fs, (
        jvm.org.apache.hadoop.fs.FileSystem.newInstance(root, settings),
        jvm.org.apache.hadoop.fs.FileContext.getFileContext(root, settings),
    )


def test_both_hadoop_apis_use_it(spark: SparkSession):
    jvm: Any = spark._jvm
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    root = jvm.java.net.URI("file:///")

    way = jvm.org.apache.hadoop.fs.FileSystem.get(root, settings)
    context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(root, settings)

    assert way.getClass().getName() == "metal.kafka.spark.LocalDisk"
    newer = context.getDefaultFileSystem().getClass().getName()
    assert newer == "metal.kafka.spark.LocalDisk$Context"


@pytest.mark.parametrize("mode", MODES, ids=oct)
def test_file_modes_are_as_requested(disk: tuple[Any, Any], tmp_path: Path, mode: int):
    fs, ways = disk
    permission = fs.permission.FsPermission(mode)
    for number, way in enumerate(ways):
        folder = tmp_path / f"folder-{number}"
        folder.mkdir()
        way.setPermission(fs.Path(str(folder)), permission)
        assert stat.S_IMODE(folder.stat().st_mode) == mode


def test_setgid_directories_keep_their_group(disk: tuple[Any, Any], tmp_path: Path):
    """In a setgid directory, new files must keep the group."""
    fs, ways = disk
    for way in ways:
        tmp_path.chmod(0o2770)
        way.setPermission(fs.Path(str(tmp_path)), fs.permission.FsPermission(0o750))
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o2750


def test_files_are_written_moved_and_read(disk: tuple[Any, Any], tmp_path: Path):
    fs, (way, context) = disk
    written, moved = tmp_path / "deep" / "file", tmp_path / "moved"

    stream = way.create(fs.Path(str(written)))
    stream.write(b"content")
    stream.close()
    way.rename(fs.Path(str(written)), fs.Path(str(moved)))

    assert moved.read_bytes() == b"content"
    assert stat.S_IMODE(moved.stat().st_mode) == 0o644
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o755
    # With the checksum that its reader verifies.
    assert (tmp_path / ".moved.crc").exists()
    assert context.getFileStatus(fs.Path(str(moved))).getLen() == 7


def test_links_are_distinguished_from_their_targets(disk: tuple[Any, Any], tmp_path: Path):
    fs, ways = disk
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")

    for way in ways:
        found = {
            name: way.getFileLinkStatus(fs.Path(str(tmp_path / name))).isSymlink()
            for name in ("file", "link", "lost")
        }
        assert found == {"file": False, "link": True, "lost": True}


def test_missing_files_are_errors(disk: tuple[Any, Any], tmp_path: Path):
    fs, ways = disk
    for way in ways:
        with pytest.raises(Exception, match="FileNotFoundException"):
            way.getFileLinkStatus(fs.Path(str(tmp_path / "nothing")))
