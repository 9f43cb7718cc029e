"""Exactly-once delivery to the archive, whenever the driver is killed."""

from pathlib import Path
from typing import Any

import pytest
from kafka_metal_pipeline.archive import Archive, foreign_content
from kafka_metal_pipeline.archive_lists import ArchiveLists
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.marks import Batches

FILES_PER_BATCH = 2


class Killed(RuntimeError):
    """Simulates the death of the driver."""


class Dying(LocalFiles):
    """Files that raise Killed before or after a chosen operation."""

    def __init__(self) -> None:
        self.steps = 0
        self.dies_at, self.after = -1, False

    def _step(self, method: str, *arguments: Any) -> None:
        self.steps += 1
        dies = self.steps == self.dies_at
        if dies and not self.after:
            raise Killed
        getattr(super(), method)(*arguments)
        if dies:
            raise Killed

    def write(self, file: str, text: str) -> None:
        self._step("write", file, text)

    def move(self, file: str, target: str) -> None:
        self._step("move", file, target)

    def remove(self, directory: str) -> None:
        self._step("remove", directory)


class Rows:
    """A fake DataFrame that writes two files, and may raise Killed between them."""

    def __init__(self, batch: int, dies: bool = False) -> None:
        self.batch, self.dies = batch, dies

    @property
    def write(self) -> "Rows":
        return self

    def format(self, name: str) -> "Rows":
        return self

    def option(self, name: str, value: str) -> "Rows":
        return self

    def partitionBy(self, *columns: str) -> "Rows":
        return self

    def save(self, folder: str) -> None:
        for part in range(FILES_PER_BATCH):
            file = Path(folder) / f"date={part}" / f"part-{part}-{Path(folder).name}.parquet"
            file.parent.mkdir(parents=True)
            file.touch()
            if self.dies:
                raise Killed
            file.write_text(f"batch {self.batch}, part {part}")


def seen(root: Path) -> list[str]:
    """Values that a reader finds, ignoring names with _ and .; empty files are an error."""
    found = []
    for path in sorted(root.rglob("*.parquet")):
        if not any(part.startswith(("_", ".")) for part in path.relative_to(root).parts):
            assert path.stat().st_size > 0
            found.append(path.read_text())
    return sorted(found)


def measure(file: str) -> tuple[int, int]:
    """Size of a file, and one row."""
    return Path(file).stat().st_size, 1


def listed(root: Path) -> dict[str, int]:
    """Sizes of the files in the archive's lists."""
    lists = ArchiveLists(LocalFiles(), str(root))
    return {
        name: file.size for number in lists.numbers() for name, file in lists.read(number).items()
    }


def run(tmp_path: Path, files: LocalFiles, newest: int, rows: Rows | None = None) -> None:
    """Run a driver: recover, then write the newest planned batch."""
    archive = Archive(files, str(tmp_path / "archive"), ("date",), measure)
    batches = Batches(LocalFiles(), str(tmp_path / "c"), archive, "p")
    batches.resume(newest)
    batches(rows or Rows(newest), newest)


def expected(batches: int) -> list[str]:
    return [f"batch {b}, part {p}" for b in range(batches) for p in range(FILES_PER_BATCH)]


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    LocalFiles().write(str(tmp_path / "c" / "metadata"), '{"id":"one"}')
    return tmp_path


@pytest.mark.parametrize("after", [False, True])
def test_killed_driver_loses_and_repeats_nothing(planned: Path, after: bool) -> None:
    died = 0
    for batch, step in enumerate(range(1, 20)):
        files = Dying()
        files.dies_at, files.after = step, after
        try:
            run(planned, files, batch)
        except Killed:
            died += 1
            assert foreign_content(LocalFiles().names(str(planned / "archive"))) is None
            # A reader now finds complete files, each once.
            assert len(set(seen(planned / "archive"))) == len(seen(planned / "archive"))
            # Killed again during the recovery from the first crash.
            files = Dying()
            files.dies_at, files.after = 1 + step % 3, after
            try:
                run(planned, files, batch)
            except Killed:
                run(planned, LocalFiles(), batch)
        assert seen(planned / "archive") == sorted(expected(batch + 1))
        assert LocalFiles().names(str(planned / "archive" / "_staging")) == []
        root = planned / "archive"
        assert listed(root) == {
            path.relative_to(root).as_posix(): path.stat().st_size
            for path in root.rglob("date=*/*.parquet")
        }
    # The batch's list and mark, two moves, the archive's list and mark, the removal.
    assert died == 7


def test_interrupted_batch_without_a_whole_list_is_published(planned: Path) -> None:
    files = Dying()
    files.dies_at, files.after = 2, True
    with pytest.raises(Killed):
        run(planned, files, 0)
    (staged,) = (planned / "archive" / "_staging").glob("*/_list.json")
    staged.write_text("")
    run(planned, LocalFiles(), 0)
    assert seen(planned / "archive") == expected(1)
    assert listed(planned / "archive") == {}


def test_files_of_an_interrupted_batch_are_removed(planned: Path) -> None:
    with pytest.raises(Killed):
        run(planned, LocalFiles(), 0, Rows(0, dies=True))
    assert len(list((planned / "archive").rglob("*.parquet"))) == 1
    run(planned, LocalFiles(), 0)
    assert seen(planned / "archive") == expected(1)
    assert len(list((planned / "archive").rglob("*.parquet"))) == FILES_PER_BATCH


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ([], None),
        (["_staging"], None),
        (["_mark.json", "date=1"], None),
        (["_staging", "date=1"], None),
        (["_spark_metadata", "date=1"], "file list of Spark's own sink"),
        (["date=1"], "date=1, which no pipeline wrote"),
    ],
)
def test_folder_of_another_writer_is_foreign(names: list[str], why: str | None) -> None:
    found = foreign_content(names)
    assert (why or "") in (found or "")
    assert (found is None) == (why is None)
