import json

import pytest
from kafka_metal_reconciliation.payment_metrics import PaymentMetrics

NOON = 1_772_366_400


@pytest.mark.parametrize(
    "metric",
    [
        {"window": {"start": "2026-03-01T12:00:00.000Z", "end": "x"}, "country": "DE", "count": 3},
        {"window_start": "2026-03-01T13:00:00.000+01:00", "country": "DE", "payments": 3},
        {"start": "2026-03-01 12:00:00", "country": "DE", "count": 3},
        {"start": NOON, "country": "DE", "count": 3},
        {"start": NOON * 1000, "country": "DE", "count": 3},
    ],
)
def test_window_is_start_and_country(metric):
    metrics = PaymentMetrics()
    metrics.add(b"k", json.dumps(metric).encode())
    assert metrics.counts() == {(NOON, "DE"): 3}


def test_last_value_of_a_key_counts():
    metrics = PaymentMetrics()
    for country, count in [("DE", 1), ("FR", 2), ("DE", 5)]:
        value = {"start": NOON, "country": country, "count": count}
        metrics.add(country.encode(), json.dumps(value).encode())
    assert metrics.counts() == {(NOON, "DE"): 5, (NOON, "FR"): 2}


@pytest.mark.parametrize("value", [None, b"", b"x", b"[]", b"{}", b'{"start": 1, "country": "DE"}'])
def test_invalid_metrics_are_counted_as_unreadable(value):
    metrics = PaymentMetrics()
    metrics.add(b"k", value)
    assert (metrics.counts(), metrics.unreadable) == ({}, 1)
