import json
from collections import Counter

import pytest
from kafka_fakes import Message
from kafka_metal_reconciliation.ledger import Failure, Ledger, Partition
from kafka_metal_reconciliation.observed import Observed
from kafka_metal_reconciliation.run_report import percentile, run_report

# Offsets 0 and 1 of each partition are valid, 2 is a fraud, 3 is malformed.
OFFSETS = ["valid", "valid", "fraud", "not_json"]
GOOD = [(part, offset) for part in (0, 1) for offset in (0, 1, 2)]
FRAUDS = [(0, 2), (1, 2)]
BAD = [(0, 3), (1, 3)]
WINDOW = (1_772_366_400, "DE")


def ledger():
    result = Ledger("r1", "payments", seed=1, requested=8, sent=8)
    for number in (0, 1):
        part = result.partitions[number] = Partition()
        for offset, kind in enumerate(OFFSETS):
            part.add(offset, kind, 0, 0.1)
    return result


def observed():
    return Observed(
        archive=Counter(GOOD),
        invalid=Counter(BAD),
        reasons=dict.fromkeys(BAD, "malformed"),
        frauds=Counter(FRAUDS),
        latencies={FRAUDS[0]: 100, FRAUDS[1]: 300},
        touched={WINDOW},
        # Two payments of another run share the window.
        archive_windows=Counter({WINDOW: 8}),
        metric_windows={WINDOW: 8},
    )


def test_complete_run_is_reconciled():
    report = run_report(ledger(), observed())
    assert report["differences"] == []
    assert report["reconciled"] is True
    assert report["accepted"] == {"expected": 6, "found": 6, "missing": 0, "repeated": 0}
    assert report["frauds"] == {"expected": 2, "found": 2, "missing": 0, "repeated": 0}
    assert report["invalid"] == {
        "expected": 2, "found": 2, "missing": 0, "repeated": 0,
        "kinds": {"not_json": {"malformed": 2}},
    }  # fmt: skip
    assert report["metrics"] == {"windows": 1, "archived": 8, "counted": 8, "different": 0}
    assert report["latency_ms"] == {"p50": 100, "p99": 300, "max": 300, "records": 2}


def archive_lacks_a_row(seen):
    del seen.archive[0, 1]


def archive_has_a_duplicate(seen):
    seen.archive[1, 2] += 1


def archive_has_a_malformed_record(seen):
    seen.archive[0, 3] += 1
    del seen.invalid[0, 3]


def both_have_a_record(seen):
    seen.invalid[1, 0] += 1


def valid_payment_is_rejected(seen):
    del seen.archive[1, 0]
    seen.invalid[1, 0] += 1


def invalid_lacks_a_record(seen):
    del seen.invalid[0, 3]


def fraud_is_missing(seen):
    del seen.frauds[0, 2]


def valid_payment_is_reported_as_fraud(seen):
    seen.frauds[0, 0] += 1


def metrics_lag(seen):
    seen.metric_windows[WINDOW] = 7


def metrics_are_absent(seen):
    seen.metric_windows.clear()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            archive_lacks_a_row,
            "1 valid payments are neither in the archive nor invalid: 1 valid, "
            "partition 0 offset 1",
        ),
        (
            archive_has_a_duplicate,
            "1 payments are in the archive more than once: 1 fraud, partition 1 offset 2",
        ),
        (
            archive_has_a_malformed_record,
            "1 malformed records are in the archive: 1 not_json, partition 0 offset 3",
        ),
        (
            both_have_a_record,
            "1 records are both in the archive and invalid: 1 valid, partition 1 offset 0",
        ),
        (
            valid_payment_is_rejected,
            "1 valid payments were rejected as invalid: 1 valid, partition 1 offset 0",
        ),
        (
            invalid_lacks_a_record,
            "1 malformed records are neither in the archive nor invalid: 1 not_json, "
            "partition 0 offset 3",
        ),
        (fraud_is_missing, "1 frauds are not in the fraud topic: partition 0 offset 2"),
        (
            valid_payment_is_reported_as_fraud,
            "1 records in the fraud topic are not frauds: partition 0 offset 0",
        ),
        (
            metrics_lag,
            "1 of 1 windows have metrics that differ from the archive: "
            "2026-03-01T12:00:00Z DE 7 instead of 8",
        ),
        (
            metrics_are_absent,
            "1 of 1 windows have metrics that differ from the archive: "
            "2026-03-01T12:00:00Z DE 0 instead of 8",
        ),
    ],
)
def test_each_difference_is_a_message_with_offsets(damage, message):
    seen = observed()
    damage(seen)
    report = run_report(ledger(), seen)
    assert report["reconciled"] is False
    assert report["differences"] == [message]


def test_copies_in_topics_are_not_differences():
    seen = observed()
    seen.frauds[0, 2] += 3
    seen.invalid[0, 3] += 1
    report = run_report(ledger(), seen)
    assert report["reconciled"] is True
    assert report["frauds"]["repeated"] == 3
    assert report["invalid"]["repeated"] == 1


def test_unacknowledged_records_are_a_note():
    book = ledger()
    book.failures["timed out"] = Failure(3, [8, 9, 10])
    report = run_report(book, observed())
    assert report["reconciled"] is True
    assert report["notes"][0].startswith("3 records were not acknowledged (timed out)")


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.0, 1), (0.001, 1)]
)
def test_percentiles_are_existing_values(share, value):
    assert percentile(list(range(1, 101)), share) == value


def source(topic="payments", part=0, offset=2, timestamp=1000):
    names = ("source.topic", "source.partition", "source.offset", "source.timestamp")
    texts = (topic, part, offset, timestamp)
    return [(name, str(text).encode()) for name, text in zip(names, texts, strict=True)]


def fraud(headers, timestamp=1500):
    return Message("frauds", 1, 77, b"k", b"{}", headers, timestamp)


def test_first_copy_of_a_fraud_determines_its_latency():
    seen = Observed()
    for timestamp in (1500, 9000):
        seen.add_fraud(fraud(source(), timestamp), {(0, 2)}, "payments")
    assert seen.frauds == {(0, 2): 2}
    assert seen.latencies == {(0, 2): 500}


def test_records_of_other_runs_and_topics_are_ignored():
    seen = Observed()
    seen.add_fraud(fraud(source(offset=900)), {(0, 2)}, "payments")
    seen.add_fraud(fraud(source(topic="flights")), {(0, 2)}, "payments")
    assert not seen.frauds
    assert not seen.untraceable


def test_record_without_source_is_a_difference():
    seen = observed()
    seen.add_fraud(fraud([]), {(0, 2)}, "payments")
    assert run_report(ledger(), seen)["differences"] == [
        "1 records of topic frauds cannot be traced to their source: frauds, partition 1 offset "
        "77, lacks source.topic, .partition or .offset headers"
    ]


def invalid(**changes):
    value = {"reason": "malformed", "detail": "", "topic": "payments", "partition": 0,
             "offset": 3, "timestamp": 1, "raw": "x"} | changes  # fmt: skip
    return Message("bad", 0, 5, None, json.dumps(value).encode(), source(offset=3))


def test_invalid_record_has_place_and_reason():
    seen = Observed()
    seen.add_invalid(invalid(), {(0, 3)}, "payments")
    assert (seen.invalid, seen.reasons) == ({(0, 3): 1}, {(0, 3): "malformed"})


def test_invalid_record_contradicting_its_headers_is_a_difference():
    seen = Observed()
    seen.add_invalid(invalid(offset=4), {(0, 3)}, "payments")
    assert not seen.invalid
    assert "names another record in its value" in seen.examples["bad"]
