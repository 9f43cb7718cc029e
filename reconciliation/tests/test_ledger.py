import pytest
from kafka_metal_client.errors import ClientError
from kafka_metal_reconciliation.ledger import (
    Failure,
    Ledger,
    Partition,
    checksum,
    from_ranges,
    load,
    save,
    to_ranges,
)
from kafka_metal_reconciliation.payments import FRAUD, KINDS, VALID


def ledger_of(count, partitions=3):
    ledger = Ledger("r1", "payments", seed=1, requested=count, sent=count)
    for number in range(count):
        part = ledger.partitions.setdefault(number % partitions, Partition())
        part.add(10 + number // partitions, KINDS[number % len(KINDS)], number, 0.5)
        part.end = part.offsets[-1] + 1
    return ledger


@pytest.mark.parametrize(
    ("offsets", "ranges"),
    [
        ([], []),
        ([7], [[7, 7]]),
        ([1, 2, 3, 5, 8, 9], [[1, 3], [5, 5], [8, 9]]),
    ],
)
def test_ranges_round_trip(offsets, ranges):
    assert to_ranges(offsets) == ranges
    assert list(from_ranges(ranges)) == offsets


def test_ledger_round_trip(tmp_path):
    ledger = ledger_of(1000)
    ledger.failures["timed out"] = Failure(20, [1, 2])
    ledger.longest_gap = 1.5
    save(ledger, tmp_path / "new" / "ledger.json")
    assert load(tmp_path / "new" / "ledger.json") == ledger


def test_100000_records_take_less_than_a_megabyte(tmp_path):
    save(ledger_of(100_000), tmp_path / "ledger.json")
    assert (tmp_path / "ledger.json").stat().st_size < 1_000_000


def test_save_leaves_no_temporary_file(tmp_path):
    save(ledger_of(10), tmp_path / "ledger.json")
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]


def test_failed_save_keeps_the_old_ledger(tmp_path, monkeypatch):
    save(ledger_of(10), tmp_path / "ledger.json")
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save(ledger_of(20), tmp_path / "ledger.json")
    assert load(tmp_path / "ledger.json") == ledger_of(10)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]


def test_sort_keeps_offsets_and_kinds_together():
    part = Partition()
    part.add(5, FRAUD, 55, 0.1)
    part.add(4, VALID, 44, 0.1)
    part.sort()
    assert list(part.kinds()) == [(4, VALID), (5, FRAUD)]
    assert list(part.checksums) == [44, 55]


def test_checksums_of_key_value_and_none_differ():
    records = [(None, None), (None, b""), (b"a", None), (b"a", b""), (b"a", b"b"), (b"ab", b"")]
    assert len({checksum(key, value) for key, value in records}) == len(records)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}'])
def test_error_names_an_invalid_ledger(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ClientError, match=r"x\.json"):
        load(tmp_path / "x.json")
