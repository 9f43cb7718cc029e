"""Files of checkpoints and archives on any file system that Hadoop's client supports."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kafka_metal_pipeline import integrity
from kafka_metal_pipeline.local_files import LocalFiles, is_local, local_path

if TYPE_CHECKING:
    # Commands on the control node use local files without pyspark.
    from pyspark.sql import SparkSession


# Capability of file systems where a file appears only when it is closed, such as object stores.
ABORTABLE = "fs.capability.outputstream.abortable"


class Files(Protocol):
    """File operations for checkpoints and marks."""

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory, sorted; none if it does not exist."""

    def read(self, file: str) -> str | None:
        """Return the text of a file, None if it does not exist."""

    def write(self, file: str, text: str) -> None:
        """Write or replace a file atomically, creating its directories."""


class FileStore(Files, Protocol):
    """Further operations, for archives and the recovery of checkpoints."""

    def is_intact(self, file: str) -> bool:
        """Whether a file of a checkpoint is intact; see ``integrity``."""

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of missing files: Spark could not create these files otherwise."""

    def files(self, directory: str) -> list[str]:
        """Return the relative paths of all files below a directory, sorted."""

    def move(self, file: str, target: str) -> None:
        """Move a file, creating its new directories.

        If the file exists in both places, an earlier move was interrupted: the copy is complete.
        """

    def remove(self, place: str) -> None:
        """Remove a file or a directory tree, if it exists."""


class Storage:
    """Files through Hadoop's client, as Spark uses it: local, HDFS, object stores."""

    def __init__(self, spark: "SparkSession") -> None:
        """Use the session's file systems and their settings."""
        # pyspark has no public API for file systems.
        self._session = spark
        self._jvm: Any = spark._jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._settings: Any = spark._jsc.hadoopConfiguration()

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory, sorted; none if it does not exist."""
        path, system = self._locate(directory)
        if not system.exists(path):
            return []
        return sorted(status.getPath().getName() for status in system.listStatus(path))

    def files(self, directory: str) -> list[str]:
        """Return the relative paths of all files below a directory, sorted."""
        path, system = self._locate(directory)
        if not system.exists(path):
            return []
        found, base = [], system.makeQualified(path).toUri().getPath().rstrip("/") + "/"
        every = system.listFiles(path, True)
        while every.hasNext():
            found.append(every.next().getPath().toUri().getPath().removeprefix(base))
        return sorted(found)

    def size(self, file: str) -> int | None:
        """Return the bytes of a file, None if it does not exist."""
        if is_local(file):
            return LocalFiles().size(file)
        path, system = self._locate(file)
        return int(system.getFileStatus(path).getLen()) if system.exists(path) else None

    def measure(self, file: str) -> tuple[int, int]:
        """Return size and rows of a Parquet file from its footer."""
        path, _ = self._locate(file)
        parquet = self._jvm.org.apache.parquet.hadoop
        source = parquet.util.HadoopInputFile.fromPath(path, self._settings)
        reader = parquet.ParquetFileReader.open(source)
        try:
            return int(source.getLength()), int(reader.getRecordCount())
        finally:
            reader.close()

    def is_intact(self, file: str) -> bool:
        """Whether a file of a checkpoint is intact; see ``integrity``."""
        if is_local(file):
            return integrity.is_intact(local_path(file), self._unpack)
        path, system = self._locate(file)
        # Other file systems verify checksums themselves and raise on a mismatch.
        return int(system.getFileStatus(path).getLen()) > 0

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of missing files: Spark could not create these files otherwise."""
        if is_local(directory):
            LocalFiles().drop_orphans(directory)

    def _unpack(self, file: Path) -> bytes:
        """Return the last four bytes of a state file after decompression."""
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
        """Return the text of a file, None if it does not exist."""
        if is_local(file):
            # Without Hadoop's client, which fails on a truncated checksum file.
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
        """Write or replace a file atomically, creating its directories.

        A temporary file is renamed to it, so a crash leaves the old text or the new one. Object
        stores need no rename: an object appears only when it is complete.
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
        """Move a file, creating its new directories."""
        path, system = self._locate(file)
        place, _ = self._locate(target)
        if system.exists(place):
            system.delete(path, False)
            return
        system.mkdirs(place.getParent())
        if not system.rename(path, place):
            raise OSError(
                f"{file} cannot be moved to {target}: the file system reported no reason; "
                "required: write access to both directories"
            )

    def remove(self, place: str) -> None:
        """Remove a file or a directory tree, if it exists."""
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
            # Closing the stream would store the incomplete object.
            stream.abort()
            raise
        stream.close()

    def _locate(self, file: str) -> tuple[Any, Any]:
        path = self._jvm.org.apache.hadoop.fs.Path(file)
        return path, path.getFileSystem(self._settings)
