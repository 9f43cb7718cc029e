import json
from collections import Counter

import pytest
from kafka_fakes import Message
from kafka_metal_reconciliation.ledger import Failure, Ledger, Partition
from kafka_metal_reconciliation.observed import Observed
from kafka_metal_reconciliation.run_report import percentile, run_report

# Offsets 0 and 1 of each partition are good, 2 is a fraud, 3 is malformed.
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


def test_a_run_whose_records_are_all_in_their_place_is_reconciled():
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


def archive_loses(seen):
    del seen.archive[0, 1]


def archive_repeats(seen):
    seen.archive[1, 2] += 1


def archive_takes_malformed(seen):
    seen.archive[0, 3] += 1
    del seen.invalid[0, 3]


def both_take_one(seen):
    seen.invalid[1, 0] += 1


def good_is_rejected(seen):
    del seen.archive[1, 0]
    seen.invalid[1, 0] += 1


def invalid_loses(seen):
    del seen.invalid[0, 3]


def fraud_is_lost(seen):
    del seen.frauds[0, 2]


def harmless_is_called_fraud(seen):
    seen.frauds[0, 0] += 1


def metrics_lag(seen):
    seen.metric_windows[WINDOW] = 7


def metrics_are_absent(seen):
    seen.metric_windows.clear()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (archive_loses, "1 good payments are neither in the archive nor invalid: 1 valid, "
                        "partition 0 offset 1"),
        (archive_repeats, "1 payments are in the archive more than once: 1 fraud, partition 1 "
                          "offset 2"),
        (archive_takes_malformed, "1 malformed records are in the archive: 1 not_json, "
                                  "partition 0 offset 3"),
        (both_take_one, "1 records are both in the archive and invalid: 1 valid, partition 1 "
                        "offset 0"),
        (good_is_rejected, "1 good payments were called invalid: 1 valid, partition 1 offset 0"),
        (invalid_loses, "1 malformed records are neither in the archive nor invalid: 1 not_json, "
                        "partition 0 offset 3"),
        (fraud_is_lost, "1 frauds are not in the fraud topic: partition 0 offset 2"),
        (harmless_is_called_fraud, "1 records in the fraud topic are no frauds: partition 0 "
                                   "offset 0"),
        (metrics_lag, "1 of 1 windows have metrics that differ from the archive: "
                      "2026-03-01T12:00:00Z DE 7 instead of 8"),
        (metrics_are_absent, "1 of 1 windows have metrics that differ from the archive: "
                             "2026-03-01T12:00:00Z DE 0 instead of 8"),
    ],
)  # fmt: skip
def test_each_difference_is_a_sentence_with_offsets(damage, sentence):
    seen = observed()
    damage(seen)
    report = run_report(ledger(), seen)
    assert report["reconciled"] is False
    assert report["differences"] == [sentence]


def test_copies_in_the_topics_are_counted_and_are_no_difference():
    seen = observed()
    seen.frauds[0, 2] += 3
    seen.invalid[0, 3] += 1
    report = run_report(ledger(), seen)
    assert report["reconciled"] is True
    assert report["frauds"]["repeated"] == 3
    assert report["invalid"]["repeated"] == 1


def test_unacknowledged_records_are_noted_and_not_missed():
    book = ledger()
    book.failures["timed out"] = Failure(3, [8, 9, 10])
    report = run_report(book, observed())
    assert report["reconciled"] is True
    assert report["notes"][0].startswith("3 records were not acknowledged (timed out)")


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.0, 1), (0.001, 1)]
)
def test_percentiles_are_values_that_occurred(share, value):
    assert percentile(list(range(1, 101)), share) == value


def source(topic="payments", part=0, offset=2, timestamp=1000):
    names = ("source.topic", "source.partition", "source.offset", "source.timestamp")
    texts = (topic, part, offset, timestamp)
    return [(name, str(text).encode()) for name, text in zip(names, texts, strict=True)]


def fraud(headers, timestamp=1500):
    return Message("frauds", 1, 77, b"k", b"{}", headers, timestamp)


def test_the_first_copy_of_a_fraud_gives_its_latency():
    seen = Observed()
    for timestamp in (1500, 9000):
        seen.add_fraud(fraud(source(), timestamp), {(0, 2)}, "payments")
    assert seen.frauds == {(0, 2): 2}
    assert seen.latencies == {(0, 2): 500}


def test_records_of_other_runs_and_other_topics_are_left_out():
    seen = Observed()
    seen.add_fraud(fraud(source(offset=900)), {(0, 2)}, "payments")
    seen.add_fraud(fraud(source(topic="flights")), {(0, 2)}, "payments")
    assert not seen.frauds
    assert not seen.nameless


def test_a_record_that_does_not_name_its_source_is_a_difference():
    seen = observed()
    seen.add_fraud(fraud([]), {(0, 2)}, "payments")
    assert run_report(ledger(), seen)["differences"] == [
        "1 records of topic frauds cannot be traced to their source: frauds, partition 1 offset "
        "77, lacks the headers source.topic, .partition and .offset"
    ]


def invalid(**changes):
    value = {"reason": "malformed", "detail": "", "topic": "payments", "partition": 0,
             "offset": 3, "timestamp": 1, "raw": "x"} | changes  # fmt: skip
    return Message("bad", 0, 5, None, json.dumps(value).encode(), source(offset=3))


def test_an_invalid_record_gives_its_place_and_reason():
    seen = Observed()
    seen.add_invalid(invalid(), {(0, 3)}, "payments")
    assert (seen.invalid, seen.reasons) == ({(0, 3): 1}, {(0, 3): "malformed"})


def test_an_invalid_record_that_contradicts_its_headers_is_a_difference():
    seen = Observed()
    seen.add_invalid(invalid(offset=4), {(0, 3)}, "payments")
    assert not seen.invalid
    assert "names another record in its value" in seen.examples["bad"]
