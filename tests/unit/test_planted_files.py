"""Planted files in a checkpoint are reported in one line, and never block the check."""

import json
import os
import struct
import zlib
from pathlib import Path

import pytest
from kafka_metal_declarations.declaration import parse_all
from kafka_metal_pipeline import checkpoint_check, plain_files
from kafka_metal_pipeline.checkpoint import COPY, PURPOSE, all_checkpoints
from kafka_metal_pipeline.checkpoint_files import CheckpointError, CheckpointFiles
from kafka_metal_pipeline.integrity import DIFFERS, FITS, UNKNOWN, checksum
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.marks import Mark
from kafka_metal_pipeline.recreated import reset_offsets

pytestmark = pytest.mark.usefixtures("time_limit")

OFFSETS = 'v1\n{"batchWatermarkMs":0}\n{"in":{"0":7}}'
DEEP = "[" * 200_000
FAR = 99_999_999_999


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(checkpoint_check, "PAUSE_S", 0)


class Site:
    """A pipeline whose output has two batches."""

    def __init__(self, root: Path) -> None:
        self.declared = parse_all(
            {
                "p": {
                    "source": {"topic": "in", "schema": "id STRING NOT NULL"},
                    "outputs": {"o": {"sql": "SELECT id FROM events", "topic": "out"}},
                    "invalid": "bad",
                    "checkpoint_root": str(root),
                }
            }
        )["p"]
        checkpoint = all_checkpoints(self.declared)["o"]
        self.place = Path(checkpoint.location)
        for folder in ("offsets", "commits"):
            (self.place / folder).mkdir(parents=True)
        for batch in (0, 1):
            (self.place / "offsets" / str(batch)).write_text(OFFSETS)
            (self.place / "commits" / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}')
        (self.place / "metadata").write_text('{"id":"one"}')
        for name in (PURPOSE, COPY):
            (self.place / name).write_text(json.dumps({**checkpoint.purpose, "id": "one"}))

    def findings(self) -> list[str]:
        found = checkpoint_check.findings([self.declared], [])
        return found.refused + found.damaged


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(20 * 1000**3)


def test_intact_checkpoint_has_no_findings(site):
    assert site.findings() == []


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (os.mkfifo, "found no regular file; allowed: a regular file"),
        (lambda file: file.symlink_to("/dev/zero"), "found no regular file"),
        (lambda file: file.mkdir(), "found no regular file"),
        (sparse, f"found 20000000000 bytes; allowed: at most {plain_files.LIMIT}"),
    ],
    ids=["pipe", "device", "directory", "sparse"],
)
@pytest.mark.parametrize("name", [PURPOSE, "metadata"])
def test_irregular_file_is_reported_with_allowed_kinds(site, plant, found, name):
    (site.place / name).unlink()
    plant(site.place / name)

    (finding,) = site.findings()

    assert finding.startswith("pipeline p: output o: its checkpoint ")
    assert f"{site.place / name}: {found}" in finding


@pytest.mark.parametrize("name", [PURPOSE, "metadata", "offsets/1", "commits/1"])
@pytest.mark.parametrize("text", [DEEP, "[]", '{"topics":[],"id":[]}', "v1\n[]\n[]", "\0" * 9])
def test_json_of_another_form_does_not_fail_the_check(site, name, text):
    (site.place / name).write_text(text)

    assert len(site.findings()) <= 1


def test_huge_batch_number_does_not_slow_the_rollback(site):
    (site.place / "offsets" / str(FAR)).write_text(OFFSETS)

    torn = CheckpointFiles(LocalFiles(), str(site.place), "output o")

    assert site.findings() == []
    assert torn.roll_back(None) == "batch 2"
    assert torn.newest("offsets") == 1


def test_huge_batch_number_without_state_is_refused(site):
    (site.place / "offsets" / str(FAR)).write_text(OFFSETS)
    (site.place / "state" / "0" / "0").mkdir(parents=True)

    with pytest.raises(CheckpointError, match="offsets or state are lost"):
        CheckpointFiles(LocalFiles(), str(site.place), "output o").roll_back(None)


def test_recreated_topic_starts_at_zero_despite_planned_batches(site):
    for name in (str(FAR), "2", "٣", "007"):
        (site.place / "offsets" / name).write_text(OFFSETS)

    reset_offsets(LocalFiles(), str(site.place), {"in": 1})

    assert {path.name for path in (site.place / "offsets").iterdir()} == {"0", "1", "٣", "007"}
    assert '{"in":{"0":0}}' in (site.place / "offsets" / "1").read_text()


@pytest.mark.parametrize("text", [DEEP, '{"checkpoint":"c","batch":Infinity,"offsets":""}', "7"])
def test_mark_of_another_form_is_ignored(text):
    assert Mark.if_whole(text) is None


def test_checksum_covers_the_whole_file_and_never_blocks(tmp_path):
    file, sums = tmp_path / "1.delta", tmp_path / ".1.delta.crc"
    content = os.urandom(3_000_000)
    parts = (content[at : at + 2_500_000] for at in (0, 2_500_000))
    checksums = b"crc\0" + struct.pack(">i", 2_500_000)
    checksums += b"".join(struct.pack(">I", zlib.crc32(each)) for each in parts)
    file.write_bytes(content)
    sums.write_bytes(checksums)
    assert checksum(file) == FITS
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert checksum(file) == DIFFERS
    sums.unlink()
    os.mkfifo(sums)
    assert checksum(file) == UNKNOWN
