import json
from collections import Counter
from datetime import UTC, datetime

import pytest
from kafka_metal_reconciliation.payments import FRAUD, KINDS, MALFORMED, VALID, payments, plan_kinds

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
FIELDS = {
    "paymentId", "accountId", "merchant", "country", "amount", "currency", "eventTime",
    "fraudProbability",
}  # fmt: skip


def stream(kinds, run="r", seed=1):
    return list(payments(run, kinds, seed, now=lambda: NOW))


def test_numbers_of_frauds_and_malformed_kinds_are_exact():
    counts = Counter(plan_kinds(100_000, fraud_share=0.05, malformed_share=0.02, seed=7))
    assert counts == {VALID: 93_000, FRAUD: 5_000} | dict.fromkeys(MALFORMED, 200)


def test_payments_depend_on_the_seed_only():
    kinds = plan_kinds(500, 0.1, 0.2, seed=1)
    assert kinds == plan_kinds(500, 0.1, 0.2, seed=1)
    assert kinds != plan_kinds(500, 0.1, 0.2, seed=2)
    assert stream(kinds, seed=1) == stream(kinds, seed=1)
    assert stream(kinds, seed=1) != stream(kinds, seed=2)


@pytest.mark.parametrize(("fraud", "malformed"), [(0.6, 0.5), (-0.1, 0), (0, -0.1), (1.1, 0)])
def test_invalid_shares_are_refused(fraud, malformed):
    with pytest.raises(ValueError, match="allowed are shares"):
        plan_kinds(100, fraud, malformed, seed=1)


def test_accepted_payments_are_complete_and_recent():
    probabilities = []
    for payment in stream([VALID, FRAUD] * 2_000):
        event = json.loads(payment.value)
        moment = datetime.fromisoformat(event["eventTime"])
        assert set(event) == FIELDS
        assert event["eventTime"].endswith("Z")
        assert 0 <= (NOW - moment).total_seconds() < 2
        assert event["amount"] > 0
        assert (event["fraudProbability"] > 0.8) == (payment.kind == FRAUD)
        assert payment.key == event["accountId"].encode()
        probabilities.append(event["fraudProbability"])
    assert 0.8 in probabilities
    assert max(probabilities) <= 1
    assert min(probabilities) >= 0


def test_payment_ids_have_run_and_sequence():
    ids = [json.loads(payment.value)["paymentId"] for payment in stream([VALID] * 3, run="r9")]
    assert ids == ["r9-00000000", "r9-00000001", "r9-00000002"]


def parsed(value):
    return json.loads(value.decode("utf-8"))


def is_broken_json(value):
    try:
        parsed(value)
    except ValueError:
        return True
    return False


BROKEN = {
    "not_json": is_broken_json,
    "truncated_json": lambda value: value.startswith(b"{") and is_broken_json(value),
    "trailing_garbage": lambda value: (
        is_broken_json(value) and json.JSONDecoder().raw_decode(value.decode())[0].keys() == FIELDS
    ),
    "wrong_type": lambda value: (
        not isinstance(parsed(value)["amount"], float)
        or not isinstance(parsed(value)["fraudProbability"], float)
    ),
    "missing_field": lambda value: len(FIELDS - parsed(value).keys()) == 1,
    "empty_value": lambda value: value == b"",
    "tombstone": lambda value: value is None,
    "time_out_of_range": lambda value: 1.7e12 < parsed(value)["eventTime"] < 2e12,
    "negative_amount": lambda value: parsed(value)["amount"] < 0,
    "invalid_utf8": lambda value: b"\xff" in value and is_broken_json(value),
}


def test_each_malformed_kind_has_a_check():
    assert set(BROKEN) == set(MALFORMED) == set(KINDS) - {VALID, FRAUD}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_payment_matches_its_kind(kind):
    assert all(BROKEN[kind](payment.value) for payment in stream([kind] * 50))
