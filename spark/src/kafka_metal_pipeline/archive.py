"""The archive: Parquet files that contain every row exactly once, for any reader.

A batch and then its mark are written below ``_staging``, which readers ignore. The mark commits the
batch: after it the files are moved into their folders, and the mark to the top folder. After a
crash the next start removes uncommitted batches and finishes moving committed ones. So the folders
only have complete files of committed batches. Their names, sizes and rows are in lists next to the
mark, which ``archive_check`` compares with the folders.
"""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from kafka_metal_declarations.model import Output

from kafka_metal_pipeline.archive_lists import ArchiveLists, File, if_whole, to_text
from kafka_metal_pipeline.marks import LostCheckpointError, Mark
from kafka_metal_pipeline.storage import FileStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The file list of Spark's own sink; if it exists, Spark's readers ignore all unlisted files.
SINK_LOG = "_spark_metadata"
STAGING = "_staging"
MARK = "_mark.json"
# Next to a batch's mark: its files.
LIST = "_list.json"
# Footers read at the same time: a request to an object store takes tens of milliseconds.
MEASURED_AT_ONCE = 8

# Returns size and rows of a Parquet file by its location.
Measure = Callable[[str], tuple[int, int]]


class Archive:
    """A folder of Parquet files that one query writes."""

    def __init__(
        self,
        storage: FileStore,
        location: str,
        partition_by: tuple[str, ...],
        measure: Measure | None = None,
    ) -> None:
        """``location`` is the folder; ``partition_by`` are the columns of its subfolders.

        ``measure`` is required to write; a check of the mark works without it.
        """
        self._storage, self._location, self._partition_by = storage, location, partition_by
        self._measure = measure
        self._lists = ArchiveLists(storage, location)

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
        if self._measure is None:
            raise ValueError(f"{self._location}: found no measure of files; required to write")
        batch = f"{self._location}/{STAGING}/{mark.batch}-{uuid.uuid4().hex}"
        writer = rows.write.format("parquet").option("compression", "zstd")
        if self._partition_by:
            writer = writer.partitionBy(*self._partition_by)
        writer.save(batch)
        names = self._written(batch)
        with ThreadPoolExecutor(MEASURED_AT_ONCE) as pool:
            measured = pool.map(self._measure, (f"{batch}/{name}" for name in names))
            files = [File(size, rows) for size, rows in measured]
        self._storage.write(f"{batch}/{LIST}", to_text(dict(zip(names, files, strict=True))))
        self._storage.write(f"{batch}/{MARK}", mark.to_text())
        self._publish(batch)

    def _publish(self, batch: str) -> None:
        """Move a committed batch into the folders; safe to repeat after a crash."""
        for file in self._written(batch):
            self._storage.move(f"{batch}/{file}", f"{self._location}/{file}")
        written = str(self._storage.read(f"{batch}/{MARK}"))
        # An interrupted batch of an earlier release has no list.
        if files := if_whole(self._storage.read(f"{batch}/{LIST}")):
            self._lists.add(Mark.from_text(written).batch, files)
        self._storage.write(f"{self._location}/{MARK}", written)
        self._storage.remove(batch)

    def _written(self, batch: str) -> list[str]:
        """Return the Parquet files of a batch that are still in staging."""
        return [name for name in self._storage.files(batch) if name.endswith(".parquet")]


def output_archive(
    storage: FileStore, root: str, output: Output, measure: Measure | None = None
) -> Archive:
    """Return the archive of an output below ``root``; ``measure`` as for ``Archive``."""
    return Archive(storage, archive_location(root, output), output.partition_by, measure)


def archive_location(root: str, output: Output) -> str:
    """Return the folder of an output's ``path`` below ``root``."""
    return f"{root.rstrip('/')}/{output.path}"


def foreign_content(names: list[str]) -> str | None:
    """Return why a folder's content is not from a pipeline; None if it is or may be."""
    if SINK_LOG in names:
        return f"it has the file list of Spark's own sink, {SINK_LOG}; Spark ignores other files"
    data: list[Any] = [name for name in names if not name.startswith(("_", "."))]
    if data and not {MARK, STAGING} & set(names):
        return f"it contains {data[0]}, which no pipeline wrote"
    return None
