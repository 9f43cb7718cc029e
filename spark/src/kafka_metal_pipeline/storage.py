"""Files beside checkpoints and archives, on whatever file system those are."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kafka_metal_pipeline import wholeness
from kafka_metal_pipeline.local_files import LocalFiles, is_local, local

if TYPE_CHECKING:
    # Local files need no Spark, and the control node has none.
    from pyspark.sql import SparkSession


# What Hadoop's client says of a file system whose files appear when they are closed, or never.
ABORTABLE = "fs.capability.outputstream.abortable"


class Files(Protocol):
    """What checkpoints and marks need of a file system."""

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none when there is no such directory."""

    def read(self, file: str) -> str | None:
        """The text of a file, or None when there is none."""

    def write(self, file: str, text: str) -> None:
        """Write or replace a file as a whole, and the directories above it."""


class Shelf(Files, Protocol):
    """What an archive, and mending a checkpoint, need besides."""

    def is_whole(self, file: str) -> bool:
        """Whether a file of a checkpoint is as it was written; see ``wholeness``."""

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of files that are gone: Spark could not write these files again."""

    def files(self, directory: str) -> list[str]:
        """Paths of all files below a directory, relative to it, sorted."""

    def move(self, file: str, target: str) -> None:
        """Move a file, and make the directories above its new place.

        Where the file is in both places, moving it was cut short: the copy is whole.
        """

    def remove(self, place: str) -> None:
        """Remove a file, or a directory and all below it; that there is none is fine."""


class Storage:
    """Files by Hadoop's client, which Spark itself uses: local, hdfs and others are the same."""

    def __init__(self, spark: "SparkSession") -> None:
        """Use the session's file systems and their settings."""
        # No public API of pyspark reaches the file systems.
        self._session = spark
        self._jvm: Any = spark._jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._settings: Any = spark._jsc.hadoopConfiguration()

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none when there is no such directory."""
        path, system = self._locate(directory)
        if not system.exists(path):
            return []
        return sorted(status.getPath().getName() for status in system.listStatus(path))

    def files(self, directory: str) -> list[str]:
        """Paths of all files below a directory, relative to it, sorted."""
        path, system = self._locate(directory)
        if not system.exists(path):
            return []
        found, base = [], system.makeQualified(path).toUri().getPath().rstrip("/") + "/"
        every = system.listFiles(path, True)
        while every.hasNext():
            found.append(every.next().getPath().toUri().getPath().removeprefix(base))
        return sorted(found)

    def is_whole(self, file: str) -> bool:
        """Whether a file of a checkpoint is as it was written; see ``wholeness``."""
        if is_local(file):
            return wholeness.is_whole(local(file), self._unpack)
        path, system = self._locate(file)
        # Such a file system has checksums of its own, and tells when they do not fit.
        return int(system.getFileStatus(path).getLen()) > 0

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of files that are gone: Spark could not write these files again."""
        if is_local(directory):
            LocalFiles().drop_orphans(directory)

    def _unpack(self, file: Path) -> bytes:
        """The last four bytes of a state's file, which Spark has compressed."""
        io, java = self._jvm.org.apache.commons.io.IOUtils, self._jvm.java.io
        name = self._session.conf.get("spark.sql.streaming.stateStore.compression.codec", "lz4")
        settings = self._session.sparkContext._jsc.sc().conf()
        codec = self._jvm.org.apache.spark.io.CompressionCodec.createCodec(settings, name)
        stream = codec.compressedInputStream(java.FileInputStream(str(file)))
        length = io.consume(stream)
        stream.close()
        stream = codec.compressedInputStream(java.FileInputStream(str(file)))
        try:
            io.skipFully(stream, max(0, length - 4))
            return bytes(io.toByteArray(stream))
        finally:
            stream.close()

    def read(self, file: str) -> str | None:
        """The text of a file, or None when there is none."""
        if is_local(file):
            # A checksum that a crash has cut is no reason not to read what it is of.
            return LocalFiles().read(file)
        path, system = self._locate(file)
        if not system.exists(path):
            return None
        stream = system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, file: str, text: str) -> None:
        """Write or replace a file as a whole, and the directories above it.

        Through a file beside it that takes its place: a crash leaves the old text or the new. A
        store of objects has no such step, and needs none: an object is there once it is whole.
        """
        path, system = self._locate(file)
        if system.hasPathCapability(path, ABORTABLE):
            self._put(system.create(path, True), text)
            return
        part, _ = self._locate(f"{path.getParent()}/.{path.getName()}.new")
        stream = system.create(part, True)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()
        option = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(option, 1)
        options[0] = option.OVERWRITE
        context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(
            system.makeQualified(path).toUri(), self._settings
        )
        context.rename(system.makeQualified(part), system.makeQualified(path), options)

    def move(self, file: str, target: str) -> None:
        """Move a file, and make the directories above its new place."""
        path, system = self._locate(file)
        place, _ = self._locate(target)
        if system.exists(place):
            system.delete(path, False)
            return
        system.mkdirs(place.getParent())
        if not system.rename(path, place):
            raise OSError(f"{file} cannot be moved to {target}")

    def remove(self, place: str) -> None:
        """Remove a file, or a directory and all below it; that there is none is fine."""
        if is_local(place):
            LocalFiles().remove(place)
            return
        path, system = self._locate(place)
        system.delete(path, True)

    @staticmethod
    def _put(stream: Any, text: str) -> None:
        try:
            stream.write(bytearray(text, "utf-8"))
        except BaseException:
            # Closed, it would put what it has so far.
            stream.abort()
            raise
        stream.close()

    def _locate(self, file: str) -> tuple[Any, Any]:
        path = self._jvm.org.apache.hadoop.fs.Path(file)
        return path, path.getFileSystem(self._settings)
