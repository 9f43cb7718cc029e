"""Checkpoints with truncated, empty or missing files: queries continue with exact results.

``KAFKA_METAL_EVERY_FILE=1`` damages each file in each way, which takes half an hour.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_pipeline import preparation
from kafka_metal_pipeline.checkpoint import CheckpointError
from kafka_metal_pipeline.checkpoint_files import COMMITS, OFFSETS, CheckpointFiles
from kafka_metal_pipeline.marks import Batches, LostCheckpointError, Mark
from kafka_metal_pipeline.storage import Storage
from pyspark.sql import SparkSession
from test_streaming import BATCH, Place

BATCHES = 3
EVERYTHING = "KAFKA_METAL_EVERY_FILE" in os.environ


class Kept:
    """A target in memory that writes rows and mark atomically."""

    def __init__(self) -> None:
        self.batches: list[tuple[Mark, list[Any]]] = []

    def mark(self) -> Mark | None:
        return self.batches[-1][0] if self.batches else None

    def write(self, rows: Any, mark: Mark) -> None:
        self.batches.append((mark, rows.collect()))


class Trial:
    """An output after three batches; its files are damaged and it is restarted, repeatedly."""

    def __init__(self, place: Place, output: str) -> None:
        self.place, self.output, self.target = place, output, Kept()
        self.checkpoint = place.root / "checkpoints" / "p" / output
        self.saved = place.root.parent / f"{place.root.name}-saved"
        self.rows: list[Any] = []
        for _ in range(BATCHES):
            place.send()
            self.run()
        shutil.copytree(place.root, self.saved)
        self.before = list(self.rows), list(self.target.batches), place.sent

    def restore(self) -> None:
        for folder in ("checkpoints", "archive", "topic"):
            shutil.rmtree(self.place.root / folder, ignore_errors=True)
            if (self.saved / folder).exists():
                shutil.copytree(self.saved / folder, self.place.root / folder)
        rows, batches, self.place.sent = self.before
        self.rows, self.target.batches = list(rows), list(batches)

    def run(self) -> None:
        """Run as a driver does: prepare, start, until all input is read."""
        place = self.place
        flow = place.flow(self.output)
        batches = preparation.prepare(flow, place.declared)
        if batches is None and self.output == "marked":
            storage = Storage(place.spark)
            batches = Batches(storage, flow.checkpoint.location, self.target, self.output)
            checkpoint_files = CheckpointFiles(storage, flow.checkpoint.location, self.output)
            checkpoint_files.roll_back(
                batches.resume(checkpoint_files.newest(OFFSETS), checkpoint_files.newest(COMMITS))
            )
        writer = batches or (lambda rows, _: self.rows.extend(rows.collect()))
        flow.rows.writeStream.foreachBatch(writer).outputMode(flow.mode).option(
            "checkpointLocation", flow.checkpoint.location
        ).trigger(availableNow=True).start().awaitTermination()

    def fault(self) -> str | None:
        """What differs from the expected result after all input was read."""
        expected = self.place.sent - self.place.sent // (BATCH + 1)
        if self.output == "kept":
            found = self.place.archived()
            return None if found == self.place.valid_offsets() else f"archive has {len(found)}"
        rows = self.rows
        if self.output == "marked":
            marks = [mark.batch for mark, _ in self.target.batches]
            if marks != list(range(len(marks))):
                return f"batches {marks}"
            rows = [row for _, each in self.target.batches for row in each]
        newest = {row["key"]: json.loads(row["value"])["events"] for row in rows}
        total = sum(newest.values())
        return None if total == expected else f"counted {total}, not {expected}"

    def files(self) -> list[Path]:
        found = [file for file in self.checkpoint.rglob("*") if file.is_file()]
        # A folder as source lists its files there; a topic does not.
        return sorted(file for file in found if "sources" not in file.parts)


class Marked(Place):
    """A stateful output whose target keeps marks in memory."""

    def body(self, **changes: Any) -> dict[str, Any]:
        found = super().body(**changes)
        found["outputs"]["marked"] = {
            "sql": "SELECT n % 2 AS odd, count(*) AS events FROM events GROUP BY n % 2",
            "topic": "marked",
            "mode": "update",
            "key": "odd",
        }
        found["outputs"]["sums"]["key"] = "odd"
        return found


def hurt(file: Path, how: str) -> None:
    if how == "removed":
        file.unlink()
        return
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] if how == "halved" else b"")


# The newest files of each kind, and older ones that are still needed.
TELLING = {
    f"offsets/{BATCHES - 1}": ("emptied", "halved", "removed"),
    f"offsets/.{BATCHES - 1}.crc": ("halved",),
    f"offsets/{BATCHES - 2}": ("emptied",),
    f"commits/{BATCHES - 1}": ("emptied", "removed"),
    "metadata": ("removed",),
    "kafka-metal.json": ("emptied",),
    f"state/0/0/{BATCHES}.delta": ("emptied", "halved", "removed"),
    f"state/0/1/.{BATCHES}.delta.crc": ("emptied", "halved"),
    "state/0/1/1.delta": ("emptied",),
    "state/0/0/_metadata/schema": ("emptied",),
    "state/0/_metadata/metadata": ("halved",),
}


def cases(trial: Trial) -> Iterator[tuple[Path, str]]:
    for file in trial.files():
        name = str(file.relative_to(trial.checkpoint))
        ways = ("emptied", "halved", "removed") if EVERYTHING else TELLING.get(name, ())
        yield from ((file, how) for how in ways)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "root").mkdir()
    yield Marked(spark, tmp_path / "root")
    for query in spark.streams.active:
        query.stop()


@pytest.mark.parametrize("output", ["kept", "sums", "marked"])
def test_checkpoint_with_any_damaged_file_continues_exactly(place: Place, output: str) -> None:
    trial = Trial(place, output)
    assert trial.fault() is None
    wrong: list[tuple[str, str, str]] = []
    refused: list[str] = []
    for file, how in list(cases(trial)):
        trial.restore()
        hurt(file, how)
        name = f"{file.relative_to(trial.checkpoint)} {how}"
        try:
            place.send()
            trial.run()
        except (CheckpointError, LostCheckpointError) as error:
            refused.append(name)
            if "make up" not in str(error):
                wrong.append((name, "refused", str(error)))
        except Exception as error:
            wrong.append((name, "died", str(error)[:300]))
        else:
            if found := trial.fault():
                wrong.append((name, "continues", found))
    assert wrong == []
    # Only a state without its first part: all batches would have to be repeated.
    assert [name for name in refused if not re.fullmatch(r"state/0/\d/1\.delta .*", name)] == []


@pytest.mark.parametrize("output", ["kept", "sums"])
def test_batches_damaged_by_a_power_failure_are_repeated(place: Place, output: str) -> None:
    trial = Trial(place, output)
    for log in ("offsets", "commits", "state/0/0", "state/0/1"):
        for batch in (1, 2, 3):
            name = f"{batch}.delta" if log.startswith("state") else str(batch)
            if (file := trial.checkpoint / log / name).exists() and (batch, name) != (1, "1.delta"):
                file.write_bytes(b"")
                file.with_name(f".{file.name}.crc").write_bytes(b"")
    place.send()
    trial.run()
    assert trial.fault() is None
