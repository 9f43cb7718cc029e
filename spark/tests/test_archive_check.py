"""The comparison of an archive's lists with its files."""

from pathlib import Path

import pytest
from kafka_metal_pipeline import archive_check
from kafka_metal_pipeline.archive_check import AGAIN_S, EVERY_S, ArchiveCheck, ArchiveWatch
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


@pytest.mark.parametrize("removed", ["date=0\n", "/date=0/\n", "date=0/part-0.parquet"])
def test_files_removed_on_purpose_are_not_missing(archive: Path, removed: str) -> None:
    (archive / "date=0/part-0.parquet").unlink()
    (archive / "_removed").write_text(removed)
    assert check(archive).run() == WHOLE | {"files": 2}


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
