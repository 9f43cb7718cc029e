"""The archive: Parquet files that contain every row exactly once, for any reader.

A batch and then its mark are written below ``_staging``, which readers ignore. The mark commits the
batch: after it the files are moved into their folders, and the mark to the top folder. After a
crash the next start removes uncommitted batches and finishes moving committed ones. So the folders
only have complete files of committed batches.
"""

import uuid
from typing import TYPE_CHECKING, Any

from kafka_metal_declarations.model import Output

from kafka_metal_pipeline.marks import LostCheckpointError, Mark
from kafka_metal_pipeline.storage import FileStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The file list of Spark's own sink; if it exists, Spark's readers ignore all unlisted files.
SINK_LOG = "_spark_metadata"
STAGING = "_staging"
MARK = "_mark.json"


class Archive:
    """A folder of Parquet files that one query writes."""

    def __init__(self, storage: FileStore, location: str, partition_by: tuple[str, ...]) -> None:
        """``location`` is the folder; ``partition_by`` are the columns of its subfolders."""
        self._storage, self._location, self._partition_by = storage, location, partition_by

    def mark(self) -> Mark | None:
        """Return the newest mark, after removing or finishing batches that a crash interrupted."""
        for name in self._storage.names(f"{self._location}/{STAGING}"):
            batch = f"{self._location}/{STAGING}/{name}"
            written = self._storage.read(f"{batch}/{MARK}")
            if written is None:
                self._storage.remove(batch)
            elif Mark.if_whole(written):
                self._publish(batch)
            else:
                raise LostCheckpointError(
                    f"{batch}/{MARK} was truncated by a crash, and some files of its batch may "
                    "be in the archive's folders. Compare the file sizes in both; move the "
                    f"remaining files, or all of them back, and remove {batch}; or give the "
                    "output another name and another path, and run `make up`."
                )
        return Mark.if_whole(self._storage.read(f"{self._location}/{MARK}"))

    def write(self, rows: "DataFrame", mark: Mark) -> None:
        """Write the rows of a batch and commit it."""
        batch = f"{self._location}/{STAGING}/{mark.batch}-{uuid.uuid4().hex}"
        writer = rows.write.format("parquet").option("compression", "zstd")
        if self._partition_by:
            writer = writer.partitionBy(*self._partition_by)
        writer.save(batch)
        self._storage.write(f"{batch}/{MARK}", mark.to_text())
        self._publish(batch)

    def _publish(self, batch: str) -> None:
        """Move a committed batch into the folders; safe to repeat after a crash."""
        for file in self._storage.files(batch):
            if file.endswith(".parquet"):
                self._storage.move(f"{batch}/{file}", f"{self._location}/{file}")
        written = self._storage.read(f"{batch}/{MARK}")
        self._storage.write(f"{self._location}/{MARK}", str(written))
        self._storage.remove(batch)


def output_archive(storage: FileStore, root: str, output: Output) -> Archive:
    """Return the archive in the output's ``path`` below ``root``."""
    return Archive(storage, f"{root.rstrip('/')}/{output.path}", output.partition_by)


def foreign_content(names: list[str]) -> str | None:
    """Return why a folder's content is not from a pipeline; None if it is or may be."""
    if SINK_LOG in names:
        return f"it has the file list of Spark's own sink, {SINK_LOG}; Spark ignores other files"
    data: list[Any] = [name for name in names if not name.startswith(("_", "."))]
    if data and not {MARK, STAGING} & set(names):
        return f"it contains {data[0]}, which no pipeline wrote"
    return None
