"""Generated payments whose frauds and malformed records are known.

The same seed, count and shares give the same payments, except for ``eventTime``. That is set from
the caller's clock, because the pipeline rejects or drops implausible and late times.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

VALID = "valid"
FRAUD = "fraud"
MALFORMED = (
    "not_json",
    "truncated_json",
    "trailing_garbage",
    "wrong_type",
    "missing_field",
    "empty_value",
    "tombstone",
    "time_out_of_range",
    "negative_amount",
    "invalid_utf8",
)
KINDS = (VALID, FRAUD, *MALFORMED)

# A fraud has a higher probability than this; some payments have exactly this and are not frauds.
FRAUD_THRESHOLD = 0.8
SHARE_AT_THRESHOLD = 0.01

CURRENCIES = {
    "AT": "EUR", "BR": "BRL", "CA": "CAD", "CH": "CHF", "DE": "EUR", "ES": "EUR", "FR": "EUR",
    "GB": "GBP", "IN": "INR", "JP": "JPY", "PL": "PLN", "US": "USD",
}  # fmt: skip
COUNTRIES = tuple(CURRENCIES)
TRADES = ("books", "clothing", "electronics", "fuel", "groceries", "pharmacy", "travel")
SHOPS_PER_TRADE = 40
ACCOUNTS = 20_000
LARGEST_DELAY_MS = 2_000
LARGEST_AMOUNT = 10_000.0

REQUIRED_FIELDS = ("paymentId", "amount", "eventTime")
NOT_JSON = ("payment;4711;12,50;EUR", "<payment id='4711'/>", "Internal Server Error")
WRONG_TYPES: tuple[tuple[str, object], ...] = (
    ("amount", "twelve"),
    ("fraudProbability", "high"),
    ("amount", {"value": 12}),
    ("amount", [12, 50]),
)
GARBAGE = ('{"paymentId":"second"}', "}", " 200 OK")

Event = dict[str, object]


@dataclass(frozen=True, slots=True)
class Payment:
    """A record to send; ``kind`` is one of KINDS and determines its expected output."""

    sequence: int
    kind: str
    key: bytes
    value: bytes | None


def is_accepted(kind: str) -> bool:
    """Whether the archive is the expected output of this kind; otherwise the invalid topic."""
    return kind in (VALID, FRAUD)


def plan_kinds(count: int, fraud_share: float, malformed_share: float, seed: int) -> list[str]:
    """Return the kinds of ``count`` records, shuffled.

    Shares are rounded to exact numbers; malformed records are distributed evenly among their
    kinds. Raises ValueError for invalid shares.
    """
    frauds = round(count * fraud_share)
    malformed = round(count * malformed_share)
    if min(frauds, malformed) < 0 or frauds + malformed > count:
        raise ValueError(
            f"invalid shares: found {fraud_share} frauds and {malformed_share} malformed records; "
            "allowed are shares from 0 to 1 whose sum is at most 1"
        )
    kinds = [FRAUD] * frauds
    kinds += [MALFORMED[number % len(MALFORMED)] for number in range(malformed)]
    kinds += [VALID] * (count - len(kinds))
    random.Random(seed).shuffle(kinds)
    return kinds


def payments(
    run: str, kinds: list[str], seed: int, now: Callable[[], datetime]
) -> Iterator[Payment]:
    """Yield a payment per kind; ``paymentId`` is ``<run>-<sequence>``, the key is the account."""
    draw = random.Random(f"{seed} payments")
    for sequence, kind in enumerate(kinds):
        account = f"account-{draw.randrange(ACCOUNTS):05d}"
        event = _event(f"{run}-{sequence:08d}", account, kind, draw, now())
        yield Payment(sequence, kind, account.encode(), _value(event, kind, draw))


def iso_time(moment: datetime) -> str:
    """Return ISO 8601 in UTC with milliseconds and ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _event(payment: str, account: str, kind: str, draw: random.Random, now: datetime) -> Event:
    country = draw.choice(COUNTRIES)
    delay = timedelta(milliseconds=draw.randrange(LARGEST_DELAY_MS))
    return {
        "paymentId": payment,
        "accountId": account,
        "merchant": f"{draw.choice(TRADES)}-{draw.randrange(SHOPS_PER_TRADE):02d}",
        "country": country,
        "amount": min(LARGEST_AMOUNT, round(draw.lognormvariate(3.2, 1.1) + 0.01, 2)),
        "currency": CURRENCIES[country],
        "eventTime": iso_time(now - delay),
        "fraudProbability": _probability(kind, draw),
    }


def _probability(kind: str, draw: random.Random) -> float:
    """Return a probability of four digits; integers keep rounding from crossing the threshold."""
    threshold = round(FRAUD_THRESHOLD * 10_000)
    if kind == FRAUD:
        return draw.randint(threshold + 1, 10_000) / 10_000
    if draw.random() < SHARE_AT_THRESHOLD:
        return FRAUD_THRESHOLD
    return int(threshold * draw.betavariate(1.2, 6)) / 10_000


def _value(event: Event, kind: str, draw: random.Random) -> bytes | None:
    if kind == "tombstone":
        return None
    if kind == "empty_value":
        return b""
    if kind == "not_json":
        return draw.choice(NOT_JSON).encode()
    if kind == "wrong_type":
        field, wrong = draw.choice(WRONG_TYPES)
        event[field] = wrong
    elif kind == "missing_field":
        del event[draw.choice(REQUIRED_FIELDS)]
    elif kind == "time_out_of_range":
        # Milliseconds where a reader expects seconds or a text: the year 57971 to a naive parser.
        moment = datetime.fromisoformat(str(event["eventTime"]))
        event["eventTime"] = round(moment.timestamp() * 1000)
    elif kind == "negative_amount":
        event["amount"] = -float(str(event["amount"]))
    value = json.dumps(event, separators=(",", ":")).encode()
    if kind == "truncated_json":
        return value[: draw.randrange(1, len(value))]
    if kind == "trailing_garbage":
        return value + draw.choice(GARBAGE).encode()
    if kind == "invalid_utf8":
        return value.replace(b'"merchant":"', b'"merchant":"\xff\xc3')
    return value
