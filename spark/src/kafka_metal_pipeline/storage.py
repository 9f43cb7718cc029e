"""Small files beside checkpoints and archives, on whatever file system those are."""

from typing import Any

from pyspark.sql import SparkSession


class Storage:
    """Files by Hadoop's client, which Spark itself uses: local, hdfs and others are the same."""

    def __init__(self, spark: SparkSession) -> None:
        """Use the session's file systems and their settings."""
        # No public API of pyspark reaches the file systems.
        self._jvm: Any = spark._jvm
        self._settings: Any = spark._jsc.hadoopConfiguration()

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none when there is no such directory."""
        path, system = self._locate(directory)
        if not system.exists(path):
            return []
        return sorted(status.getPath().getName() for status in system.listStatus(path))

    def read(self, file: str) -> str | None:
        """The text of a file, or None when there is none."""
        path, system = self._locate(file)
        if not system.exists(path):
            return None
        stream = system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, file: str, text: str) -> None:
        """Write or replace a file, and the directories above it."""
        path, system = self._locate(file)
        stream = system.create(path, True)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()

    def _locate(self, file: str) -> tuple[Any, Any]:
        path = self._jvm.org.apache.hadoop.fs.Path(file)
        return path, path.getFileSystem(self._settings)
