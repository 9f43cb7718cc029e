"""Rows of a run in the archive, and counts of the whole archive per window and country.

The only module that needs pyarrow, which is part of the pipeline's image and of the extra
``kafka-metal-reconciliation[archive]``.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError

from kafka_metal_reconciliation import sink_log
from kafka_metal_reconciliation.observed import Place, Window

# (partition, offset) of the source as one integer, to compare whole columns at once.
OFFSET_BITS = 44


def require_pyarrow() -> None:
    """Raise ClientError if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401  only a check that it is installed
    except ImportError as error:
        raise ClientError(
            "reading the archive needs pyarrow, which is not installed here: run this in the "
            "pipeline's container, or install kafka-metal-reconciliation[archive]"
        ) from error


class Archive:
    """Counts rows of an archive; each ``poll`` reads only files that are new."""

    def __init__(self, root: Path, topic: str, places: Iterable[Place], window: int) -> None:
        """``places`` are the run's records; ``window`` is the window's length in seconds."""
        require_pyarrow()
        import pyarrow as pa

        self._root = root
        self._topic = topic
        self._window = window
        self._wanted = pa.array(
            [(part << OFFSET_BITS) | offset for part, offset in places], pa.int64()
        )
        self._read: set[Path] = set()
        self.rows: Counter[Place] = Counter()
        self.windows: Counter[Window] = Counter()
        self.touched: set[Window] = set()
        self.unreadable: dict[Path, str] = {}

    def poll(self) -> None:
        """Read new files; files that cannot be read yet are tried again at the next call."""
        self.unreadable = {}
        if not self._root.is_dir():
            self.unreadable[self._root] = "it does not exist"
            return
        try:
            files = sink_log.data_files(self._root)
        except (OSError, ValueError, KeyError) as error:
            # The log is being compacted; the next call reads it again.
            self.unreadable[self._root] = str(error)
            return
        for path in files:
            if path not in self._read:
                self._poll_file(path)

    def _poll_file(self, path: Path) -> None:
        import pyarrow as pa

        try:
            table = self._table(path)
        except (OSError, pa.ArrowInvalid) as error:
            self.unreadable[path] = str(error)
            return
        self._read.add(path)
        self._count(table)

    def _table(self, path: Path) -> Any:
        import pyarrow.parquet as pq

        wanted = ["_topic", "_partition", "_offset", "eventTime", "country"]
        file = pq.ParquetFile(path)
        missing = set(wanted) - set(file.schema_arrow.names)
        if missing:
            names = ", ".join(sorted(missing))
            raise ClientError(f"the archive's file {path} lacks the columns {names}")
        return file.read(columns=wanted)

    def _count(self, table: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        table = table.filter(pc.equal(table["_topic"], self._topic))
        table = table.append_column("_start", self._starts(table["eventTime"]))
        groups = table.group_by(["_start", "country"]).aggregate([([], "count_all")])
        for row in groups.to_pylist():
            self.windows[row["_start"], row["country"] or ""] += row["count_all"]
        part = pc.shift_left(table["_partition"].cast(pa.int64()), OFFSET_BITS)
        place = pc.bit_wise_or(part, table["_offset"].cast(pa.int64()))
        mine = table.filter(pc.is_in(place, value_set=self._wanted))
        columns = [mine[name].to_pylist() for name in ("_partition", "_offset")]
        self.rows.update(zip(*columns, strict=True))
        countries = [country or "" for country in mine["country"].to_pylist()]
        self.touched.update(zip(mine["_start"].to_pylist(), countries, strict=True))

    def _starts(self, times: Any) -> Any:
        """Return the start of each time's window in seconds since 1970."""
        import pyarrow as pa
        import pyarrow.compute as pc

        # Spark writes times in UTC, as INT96 without a zone or as microseconds with one.
        seconds = pc.floor_temporal(times.cast(pa.timestamp("us", tz="UTC")), unit="second")
        numbers = seconds.cast(pa.timestamp("s", tz="UTC")).cast(pa.int64())
        return pc.multiply(pc.divide(numbers, self._window), self._window)
