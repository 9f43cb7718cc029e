"""The archive: Parquet files that hold every row exactly once, for any reader.

A batch is written below ``_staging``, which readers pass over, then its mark beside it: with the
mark the batch counts. Only then its files move to their folders, whole, and the mark to the top.
A crash before the mark leaves what is removed at the next start, one after it what is moved on. So
whatever lies in the folders is a whole file of a batch that counts.
"""

import uuid
from typing import TYPE_CHECKING, Any

from kafka_metal_declarations.model import Output

from kafka_metal_pipeline.marks import LostCheckpointError, Mark
from kafka_metal_pipeline.storage import Shelf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Where Spark's own sink lists its files; readers of Spark see nothing else where there is one.
SINK_LOG = "_spark_metadata"
STAGING = "_staging"
MARK = "_mark.json"


class Archive:
    """A folder of Parquet files and the query that fills it."""

    def __init__(self, storage: Shelf, location: str, partition_by: tuple[str, ...]) -> None:
        """``location`` is the folder; ``partition_by`` are the columns that make folders below."""
        self._storage, self._location, self._partition_by = storage, location, partition_by

    def mark(self) -> Mark | None:
        """The newest batch; batches that did not come to their end are removed or moved on."""
        for name in self._storage.names(f"{self._location}/{STAGING}"):
            batch = f"{self._location}/{STAGING}/{name}"
            written = self._storage.read(f"{batch}/{MARK}")
            if written is None:
                self._storage.remove(batch)
            elif Mark.if_whole(written):
                self._publish(batch)
            else:
                raise LostCheckpointError(
                    f"{batch}/{MARK} was cut by a crash, and some files of its batch may be in the "
                    "archive's folders. Compare the sizes of what is in both; move the rest, or "
                    f"all of it back, and remove {batch}; or give the output another name and "
                    "another path, and run `make up`."
                )
        return Mark.if_whole(self._storage.read(f"{self._location}/{MARK}"))

    def write(self, rows: "DataFrame", mark: Mark) -> None:
        """Add the rows of a batch."""
        batch = f"{self._location}/{STAGING}/{mark.batch}-{uuid.uuid4().hex}"
        writer = rows.write.format("parquet").option("compression", "zstd")
        if self._partition_by:
            writer = writer.partitionBy(*self._partition_by)
        writer.save(batch)
        self._storage.write(f"{batch}/{MARK}", mark.to_text())
        self._publish(batch)

    def _publish(self, batch: str) -> None:
        """Move a batch that counts to where readers look; may be done again at any point."""
        for file in self._storage.files(batch):
            if file.endswith(".parquet"):
                self._storage.move(f"{batch}/{file}", f"{self._location}/{file}")
        written = self._storage.read(f"{batch}/{MARK}")
        self._storage.write(f"{self._location}/{MARK}", str(written))
        self._storage.remove(batch)


def archive_of(storage: Shelf, root: str, output: Output) -> Archive:
    """The archive that an output fills."""
    return Archive(storage, f"{root.rstrip('/')}/{output.path}", output.partition_by)


def foreign(names: list[str]) -> str | None:
    """Why the content of a folder is no archive of ours; None when it can be one."""
    if SINK_LOG in names:
        return f"it has Spark's own list of files, {SINK_LOG}, and Spark would see no others"
    data: list[Any] = [name for name in names if not name.startswith(("_", "."))]
    if data and not {MARK, STAGING} & set(names):
        return f"it holds {data[0]}, which no pipeline wrote"
    return None
