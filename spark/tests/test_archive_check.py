"""The comparison of an archive's lists with its files."""

from pathlib import Path

import pytest
from kafka_metal_pipeline import archive_check, archive_lists
from kafka_metal_pipeline.archive_check import (
    AGAIN_FOR_S,
    AGAIN_S,
    EVERY_S,
    FILES_AGAIN,
    ArchiveCheck,
    ArchiveWatch,
)
from kafka_metal_pipeline.archive_lists import BATCHES, ArchiveLists, File
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.status import Board

WHOLE = {"files": 3, "missing": 0, "rows": 0, "first": ""}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of three lists, each with one file of four bytes and seven rows."""
    for number in range(3):
        write(tmp_path, number * BATCHES)
    return tmp_path


def write(root: Path, batch: int) -> None:
    """Write the file of a batch, and add it to its list."""
    name = f"date={batch}/part-{batch}.parquet"
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text("PAR1")
    ArchiveLists(LocalFiles(), str(root)).add(batch, {name: File(size=4, rows=7)})


def check(root: Path) -> ArchiveCheck:
    return ArchiveCheck(LocalFiles(), str(root))


def test_complete_archive_misses_nothing(archive: Path) -> None:
    assert check(archive).run() == WHOLE


def test_missing_and_changed_files_are_found(archive: Path) -> None:
    (archive / "date=0/part-0.parquet").unlink()
    (archive / f"date={BATCHES}/part-{BATCHES}.parquet").write_text("PA")
    found = check(archive).run()
    assert (found["files"], found["missing"], found["rows"]) == (3, 2, 14)
    assert found["first"] in ("date=0/part-0.parquet", f"date={BATCHES}/part-{BATCHES}.parquet")


@pytest.mark.parametrize(
    "removed",
    [
        "date=0\n",
        "/date=0/\n",
        "date=0/part-0.parquet",
        "date=[0-9]",
        "date=?/",
        "country=*\ndate=?/part-*",
    ],
)
def test_files_removed_on_purpose_are_not_missing(archive: Path, removed: str) -> None:
    (archive / "date=0/part-0.parquet").unlink()
    (archive / "_removed").write_text(removed)
    assert check(archive).run() == WHOLE | {"files": 2}


def test_pattern_covers_only_whole_names(archive: Path) -> None:
    (archive / "date=0/part-0.parquet").unlink()
    (archive / "_removed").write_text("date\nate=*\npart-*\ndate=")
    assert check(archive).run()["missing"] == 1


class CountedFiles(LocalFiles):
    """Files that count how often a size or a list was read."""

    sizes = lists = 0

    def size(self, file: str) -> int | None:
        self.sizes += 1
        return super().size(file)

    def read(self, file: str) -> str | None:
        self.lists += "/_files/" in file
        return super().read(file)


def large(root: Path, files: int) -> dict[str, File]:
    """Add a batch of files that do not exist to the first list."""
    names = {f"date=2/part-{number}.parquet": File(size=4, rows=1) for number in range(files)}
    ArchiveLists(LocalFiles(), str(root)).add(0, names)
    return names


def test_repetition_looks_up_a_limited_number_of_missing_files(tmp_path: Path) -> None:
    names = large(tmp_path, FILES_AGAIN + 50)
    files = CountedFiles()
    checked = ArchiveCheck(files, str(tmp_path))
    found = checked.run()
    assert found["missing"] == FILES_AGAIN + 50
    files.sizes = files.lists = 0
    assert checked.run_again() == found
    assert (files.sizes, files.lists) == (FILES_AGAIN, 0)
    (tmp_path / "date=2").mkdir()
    first, *others = names
    (tmp_path / first).write_text("PAR1")
    assert checked.run_again()["missing"] == FILES_AGAIN + 49
    for name in others:
        (tmp_path / name).write_text("PAR1")
    assert checked.run_again() == WHOLE | {"files": FILES_AGAIN + 50}


def test_repetition_limit_is_for_all_lists(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_check, "FILES_AGAIN", 2)
    for number in range(3):
        (archive / f"date={number * BATCHES}/part-{number * BATCHES}.parquet").unlink()
    files = CountedFiles()
    checked = ArchiveCheck(files, str(archive))
    assert checked.run()["missing"] == 3
    files.sizes = 0
    assert checked.run_again()["missing"] == 3
    assert files.sizes == 2


def test_repetition_sees_files_that_were_removed_on_purpose(tmp_path: Path) -> None:
    large(tmp_path, FILES_AGAIN + 50)
    files = CountedFiles()
    checked = ArchiveCheck(files, str(tmp_path))
    checked.run()
    (tmp_path / "_removed").write_text("date=*")
    files.sizes = 0
    assert checked.run_again() == WHOLE | {"files": 0}
    assert files.sizes == 0


def test_list_that_has_many_files_ends_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_lists, "FILES", 2)
    lists = ArchiveLists(LocalFiles(), str(tmp_path))
    batches = [{f"part-{batch}-{n}": File(size=4, rows=1) for n in range(2)} for batch in range(5)]
    for batch, files in enumerate(batches):
        lists.add(batch, files)
        # As after a crash: another driver repeats the batch.
        lists = ArchiveLists(LocalFiles(), str(tmp_path))
        lists.add(batch, files)
    assert lists.numbers() == [2, 1, 0]
    assert lists.read(0) == batches[0] | batches[1]
    assert lists.read(1) == batches[2] | batches[3]
    # The number of the list of a later batch is not used twice.
    lists.add(BATCHES, {"part-late": File(size=4, rows=1)})
    assert len(lists.read(2)) == 3
    lists.add(3 * BATCHES, {"part-later": File(size=4, rows=1)})
    assert lists.read(3) == {"part-later": File(size=4, rows=1)}


def test_large_archive_is_compared_part_by_part(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_check, "FILES_PER_CHECK", 2)
    checked = check(archive)
    assert checked.run()["files"] == 2
    (archive / "date=0/part-0.parquet").unlink()
    # The two newest lists are compared again first, so the oldest is next.
    monkeypatch.setattr(archive_check, "FILES_PER_CHECK", 3)
    assert checked.run()["missing"] == 1


def test_truncated_list_is_skipped(archive: Path) -> None:
    (archive / "_files/0.json").write_text('{"date=0')
    assert check(archive).run() == WHOLE | {"files": 2}


def test_error_keeps_the_last_result(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (archive / "date=0/part-0.parquet").unlink()
    board, checked = Board("p", ["kept"]), check(archive)
    watch = ArchiveWatch({"kept": checked}, board, lambda: 0.0)
    watch.check_due()

    def fail(file: str) -> int:
        raise OSError("not reachable")

    monkeypatch.setattr(checked._files, "size", fail)
    watch.check_due()
    assert board.snapshot()["outputs"]["kept"]["archive"]["missing"] == 1
    assert checked.state()["missing"] == 1


def test_a_check_that_ends_late_changes_no_state(archive: Path) -> None:
    board = Board("p", ["kept"])
    watch = ArchiveWatch({"kept": check(archive)}, board, lambda: 0.0)
    watch.stop()
    board.begin("another", ["other"])
    watch.check_due()
    assert set(board.snapshot()["outputs"]) == {"other"}


def test_checks_run_hourly_and_after_a_loss_until_it_is_restored(archive: Path) -> None:
    now = [0.0]
    board = Board("p", ["kept", "other"])
    watch = ArchiveWatch({"kept": check(archive)}, board, lambda: now[0])

    def missing() -> int:
        watch.check_due()
        outputs = board.snapshot()["outputs"]
        assert outputs["other"]["archive"] is None
        return int(outputs["kept"]["archive"]["missing"])

    assert missing() == 0
    gone = archive / "date=0/part-0.parquet"
    gone.unlink()
    now[0] += AGAIN_S
    assert missing() == 0
    now[0] += EVERY_S
    assert missing() == 1
    gone.write_text("PAR1")
    now[0] += AGAIN_S
    assert missing() == 0


def test_repetitions_end_ten_minutes_after_the_last_change(archive: Path) -> None:
    now = [0.0]
    board, files = Board("p", ["kept"]), CountedFiles()
    gone = [archive / f"date={number}/part-{number}.parquet" for number in (0, BATCHES)]
    for file in gone:
        file.unlink()
    watch = ArchiveWatch({"kept": ArchiveCheck(files, str(archive))}, board, lambda: now[0])

    def missing_at(second: float) -> int:
        now[0] = second
        watch.check_due()
        return int(board.snapshot()["outputs"]["kept"]["archive"]["missing"])

    assert missing_at(0) == 2
    gone[0].write_text("PAR1")
    assert missing_at(AGAIN_FOR_S - AGAIN_S) == 1
    assert missing_at(AGAIN_FOR_S + AGAIN_S) == 1
    files.sizes = 0
    assert missing_at(2 * AGAIN_FOR_S) == 1
    assert files.sizes == 0
    gone[1].write_text("PAR1")
    assert missing_at(2 * AGAIN_FOR_S + AGAIN_S) == 1
    assert missing_at(EVERY_S) == 0
