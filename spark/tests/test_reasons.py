"""Every reason why a record is invalid, and its detail."""

import json
from base64 import b64decode
from collections.abc import Callable, Sequence

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline.invalid import invalid_records
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from pyspark.sql import DataFrame, Row

PAYMENT = {
    "paymentId": "p-1",
    "accountId": "a-1",
    "merchant": "books-01",
    "country": "DE",
    "amount": 12.5,
    "currency": "EUR",
    "eventTime": "2026-05-01T11:59:59.123456Z",
    "fraudProbability": 0.25,
}
PAYMENTS = {
    "source": {
        "topic": "in",
        "schema": "paymentId STRING NOT NULL, accountId STRING NOT NULL, merchant STRING, "
        "country STRING NOT NULL, amount DOUBLE NOT NULL, currency STRING NOT NULL, "
        "eventTime TIMESTAMP NOT NULL, fraudProbability DOUBLE NOT NULL, "
        "count INT, day DATE, tags ARRAY<STRING>, place STRUCT<lat: DOUBLE, lon: DOUBLE>, "
        "legs ARRAY<STRUCT<at: TIMESTAMP, by: MAP<STRING, TIMESTAMP>>>",
    },
    "rules": {
        "amount_positive": "amount > 0",
        "probability_in_range": "fraudProbability BETWEEN 0 AND 1",
        "event_time_plausible": "eventTime BETWEEN timestamp'2020-01-01' AND "
        "_timestamp + INTERVAL 1 DAY",
        "merchant_has_trade": "merchant IS NULL OR merchant LIKE '%-%'",
    },
    "outputs": {"all": {"sql": "SELECT * FROM events", "topic": "out"}},
    "invalid": "bad",
}


def payment(**changes: object) -> str:
    return json.dumps(PAYMENT | changes)


def without(*names: str) -> str:
    return json.dumps({name: value for name, value in PAYMENT.items() if name not in names})


# Timestamp of a test's first record.
NOON_MS = 1777636800000

# Value, reason, and part of the detail.
INVALID: list[tuple[str | bytes | None, str, str]] = [
    (None, "tombstone", "no value"),
    ("", "empty", "empty"),
    (" \n ", "empty", "empty"),
    ("Internal Server Error", "malformed", "not JSON"),
    ("payment;4711;12,50;EUR", "malformed", "not JSON"),
    ("<payment id='4711'/>", "malformed", "not JSON"),
    (payment()[:40], "malformed", "not JSON"),
    (payment()[:-1], "malformed", "not JSON"),
    ("{", "malformed", "not JSON"),
    ("tru", "malformed", "not JSON"),
    ("{'paymentId': 'p'}", "malformed", "not JSON"),
    ('{"amount": NaN}', "malformed", "not JSON"),
    (payment() + "}", "trailing_garbage", "more text after"),
    (payment() + " 200 OK", "trailing_garbage", "more text after"),
    (payment() + '{"paymentId":"second"}', "trailing_garbage", "more text after"),
    (payment() + "," + payment(), "trailing_garbage", "more text after"),
    (payment() + "] {}", "trailing_garbage", "more text after"),
    # Values with text after their end.
    (payment() + '],"x":[{}', "trailing_garbage", "more text after"),
    (payment()[:-1] + ', "_end": true} more}', "trailing_garbage", "more text after"),
    (payment() + ', "x": {}', "trailing_garbage", "more text after"),
    ("null", "not_an_object", "not an object"),
    ("[]", "not_an_object", "not an object"),
    ("5", "not_an_object", "not an object"),
    ('"text"', "not_an_object", "not an object"),
    (f"[{payment()}]", "not_an_object", "not an object"),
    (payment()[:-1] + ', "amount": 1}', "duplicate_key", "more than one amount"),
    (payment().replace("books", "\udcff").encode("utf-8", "surrogateescape"), "not_utf8", "UTF-8"),
    (b"\xff\xfe\x00", "not_utf8", "UTF-8"),
    (without("paymentId"), "missing_field", "no value in paymentId"),
    (without("amount", "country"), "missing_field", "no value in country, amount"),
    (payment(country=None), "missing_field", "no value in country"),
    (payment(amount="twelve"), "wrong_type", "amount: expected DOUBLE, found twelve"),
    (payment(amount="0.9"), "wrong_type", "amount: expected DOUBLE, found 0.9"),
    (payment(amount={"value": 12}), "wrong_type", 'amount: expected DOUBLE, found {"value":12}'),
    (payment(amount=[12, 50]), "wrong_type", "amount: expected DOUBLE, found [12,50]"),
    (payment(amount="NaN"), "wrong_type", "amount: expected DOUBLE, found NaN"),
    (payment(count=1.5), "wrong_type", "count: expected INT, found 1.5"),
    (payment(count=2**31), "wrong_type", "count: expected INT, found 2147483648"),
    (payment(day="2026-02-30"), "wrong_type", "day: expected DATE, found 2026-02-30"),
    (payment(tags="a"), "wrong_type", "tags: expected ARRAY<STRING>, found a"),
    (payment(place={"lat": "x", "lon": 1}), "wrong_type", "a nested field"),
    (payment(eventTime="yesterday"), "wrong_type", "eventTime: expected TIMESTAMP, found yest"),
    (payment(eventTime="2026-13-01T00:00:00Z"), "wrong_type", "eventTime"),
    # Spark's own parser reads these as today, and as January 1st.
    (payment(eventTime="12:30:00"), "wrong_type", "eventTime"),
    (payment(eventTime=""), "wrong_type", "eventTime"),
    (payment(eventTime=True), "wrong_type", "eventTime"),
    # Milliseconds, microseconds and nanoseconds, which Spark's own parser reads as seconds.
    (payment(eventTime=1777636799123), "out_of_range", "found 1777636799123"),
    (payment(eventTime=1777636799123456), "out_of_range", "found 1777636799123456"),
    (payment(eventTime=1777636799123456789), "out_of_range", "eventTime"),
    (payment(eventTime=10**30), "out_of_range", "eventTime"),
    (payment(amount=1).replace(" 1,", " 1e999,"), "out_of_range", "amount"),
    (payment(day="+57971-02-25"), "out_of_range", "day"),
    # Nested values are validated as well.
    (payment(legs=[{"at": 1777636799123}]), "out_of_range", "legs: expected times as ISO 8601"),
    (payment(legs=[{"by": {"a": 1777636799, "b": 1777636799123}}]), "out_of_range", "legs"),
    (payment(legs=[{"at": None}, {"at": "12:30"}]), "wrong_type", "legs: expected ARRAY<"),
    (payment(place={"lat": 1, "lon": 2}).replace(" 2}", " 1e999}"), "out_of_range", "place"),
    (payment(place="X").replace('"X"', '{"lat": 1, "lat": 2}'), "duplicate_key", "nested object"),
    (payment(amount=0), "amount_positive", "not met: amount > 0"),
    (payment(amount=-12.5), "amount_positive", "not met: amount > 0"),
    (payment(fraudProbability=1.01), "probability_in_range", "fraudProbability BETWEEN 0 AND 1"),
    (payment(eventTime="2019-12-31T23:59:59Z"), "event_time_plausible", "eventTime BETWEEN"),
    (payment(eventTime="2026-05-03T12:00:00Z"), "event_time_plausible", "eventTime BETWEEN"),
    # "2026" is 2026 seconds since 1970.
    (payment(eventTime="2026"), "event_time_plausible", "eventTime BETWEEN"),
    (payment(merchant="books"), "merchant_has_trade", "merchant LIKE"),
]
VALID = [
    payment(),
    payment(extra={"more": [1, 2]}),
    without("merchant"),
    payment(merchant=None),
    payment(amount=12),
    payment(eventTime="2026-05-01T13:59:59+02:00"),
    payment(eventTime="2026-05-01 11:59:59"),
    payment(eventTime=1777636799),
    payment(merchant='quoted-"amount": {}],', count=5, day="2026-05-01", tags=["a"]),
    payment(place={"lat": 1.5, "lon": 2.5}) + "\n",
    "\r\n\t " + payment() + " \r\n",
    payment(merchant="Größe-10"),
    payment(legs=[{"at": "2026-05-01T11:59:59Z", "by": {"a": 1777636799}}, {}]),
]


def reasons(records: DataFrame, declared: Declaration) -> list[Row]:
    parsed = parse_records(records, declared.source)
    return (
        rejected_records(
            validate_records(parsed, declared.source, declared.rules),
            declared.source,
            declared.rules,
        )
        .orderBy("_offset")
        .collect()
    )


@pytest.fixture(scope="module")
def payments() -> Declaration:
    return parse("payments", PAYMENTS)


def test_invalid_records_have_reason_and_detail(
    records: Callable[[Sequence[str | bytes | None]], DataFrame], payments: Declaration
) -> None:
    found = reasons(records([value for value, _, _ in INVALID]), payments)
    seen = {row["_offset"] - 100: row for row in found}
    wrong = [
        (value, reason, seen.get(place) and (seen[place]["_reason"], seen[place]["_detail"]))
        for place, (value, reason, words) in enumerate(INVALID)
        if place not in seen
        or seen[place]["_reason"] != reason
        or words not in (seen[place]["_detail"] or "")
    ]
    assert wrong == []


def test_invalid_message_has_reason_origin_and_time(
    records: Callable[[Sequence[str | bytes | None]], DataFrame], payments: Declaration
) -> None:
    parsed = parse_records(records([value for value, _, _ in INVALID]), payments.source)
    found = invalid_records(
        rejected_records(
            validate_records(parsed, payments.source, payments.rules),
            payments.source,
            payments.rules,
        )
    ).collect()
    seen = {message["offset"]: message for message in (json.loads(row["value"]) for row in found)}
    assert len(found) == len(seen) == len(INVALID)
    for place, (value, reason, _) in enumerate(INVALID):
        raw = value if isinstance(value, bytes) or value is None else value.encode()
        message = seen[100 + place]
        kept = None if message["raw"] is None else message["raw"].encode()
        assert message["reason"] == reason, value
        assert (message["topic"], message["partition"]) == ("in", 0)
        assert message["timestamp"] == NOON_MS + 1000 * place
        assert raw == (b64decode(kept) if message["raw_encoding"] == "base64" else kept)
        assert message["raw_bytes"] == (None if raw is None else len(raw))


def test_valid_records_are_accepted(
    records: Callable[[Sequence[str | bytes | None]], DataFrame], payments: Declaration
) -> None:
    assert reasons(records(VALID), payments) == []


def test_each_record_is_either_accepted_or_rejected(
    records: Callable[[Sequence[str | bytes | None]], DataFrame], payments: Declaration
) -> None:
    values = [value for value, _, _ in INVALID] + VALID
    parsed = parse_records(records(values), payments.source)
    good = accepted_events(
        validate_records(parsed, payments.source, payments.rules), payments.source
    ).collect()
    bad = rejected_records(
        validate_records(parsed, payments.source, payments.rules), payments.source, payments.rules
    ).collect()
    places = [row["_offset"] for row in [*good, *bad]]
    assert sorted(places) == list(range(100, 100 + len(values)))
    assert len(good) == len(VALID)
