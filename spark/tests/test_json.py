"""JSON of every type, and values that only resemble JSON."""

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from pyspark.sql import DataFrame

Records = Callable[[Sequence[bytes | str | None]], DataFrame]

WRONG = object()
# Type, JSON of the member, and the parsed value; WRONG for another type.
MEMBERS: list[tuple[str, str, Any]] = [
    ("STRING", '"Gr\\u00f6\\u00dfe \\n \\"10\\""', 'Größe \n "10"'),
    ("STRING", '"Größe 😀"', "Größe 😀"),
    ("STRING", "1.50", "1.50"),
    ("STRING", "true", "true"),
    ("STRING", '{"a": [1,  {"b": "}"}]}', '{"a": [1,  {"b": "}"}]}'),
    ("STRING", "[]", "[]"),
    ("STRING", "null", None),
    ("BOOLEAN", "true", True),
    ("BOOLEAN", "false", False),
    ("BOOLEAN", '"true"', WRONG),
    ("BOOLEAN", "1", WRONG),
    ("TINYINT", "-128", -128),
    ("TINYINT", "128", WRONG),
    ("SMALLINT", "32767", 32767),
    ("SMALLINT", "-32769", WRONG),
    ("INT", "-2147483648", -(2**31)),
    ("INT", "2147483648", WRONG),
    ("INT", "1.0", WRONG),
    ("INT", '"1"', WRONG),
    ("BIGINT", "9223372036854775807", 2**63 - 1),
    ("BIGINT", "9223372036854775808", WRONG),
    ("BIGINT", "1e3", WRONG),
    ("FLOAT", "0.5", 0.5),
    ("FLOAT", '"NaN"', WRONG),
    ("DOUBLE", "0.1", 0.1),
    ("DOUBLE", "-1.7976931348623157e308", -1.7976931348623157e308),
    ("DOUBLE", "4.9e-324", 5e-324),
    ("DOUBLE", "123456789012345678901234567890", 1.2345678901234568e29),
    ("DOUBLE", '"0.1"', WRONG),
    ("DOUBLE", "[0.1]", WRONG),
    ("DOUBLE", "{}", WRONG),
    ("DECIMAL(10,2)", "12.345", Decimal("12.35")),
    ("DECIMAL(10,2)", '"12.30"', Decimal("12.30")),
    ("DECIMAL(10,2)", "1e3", Decimal("1000.00")),
    ("DECIMAL(10,2)", "123456789", WRONG),
    ("DECIMAL(10,2)", '"twelve"', WRONG),
    ("DECIMAL(10,2)", "true", WRONG),
    ("DECIMAL(10,2)", "99999999.99", Decimal("99999999.99")),
    ("DECIMAL(10,2)", "99999999.999", WRONG),
    ("DECIMAL(10,2)", "-0.005", Decimal("-0.01")),
    ("DECIMAL(10,2)", "0.00499", Decimal("0.00")),
    # Short texts of numbers with more digits than fit in memory.
    ("DECIMAL(10,2)", "1e1000000000", WRONG),
    ("DECIMAL(10,2)", '"-1e1000000000"', WRONG),
    ("DECIMAL(10,2)", "1e-1000000000", Decimal("0.00")),
    ("DECIMAL(10,2)", '"0e1000000000"', Decimal("0.00")),
    ("DECIMAL(10,2)", f'"{"0" * 1_000_000}1"', WRONG),
    ("DATE", '"2026-05-01"', date(2026, 5, 1)),
    ("DATE", '"2026-02-29"', WRONG),
    ("DATE", "20260501", WRONG),
    ("TIMESTAMP_NTZ", '"2026-05-01T12:30:00"', datetime(2026, 5, 1, 12, 30)),
    ("TIMESTAMP_NTZ", '"noon"', WRONG),
    ("BINARY", '"AP8="', b"\x00\xff"),
    ("BINARY", '"?"', WRONG),
    ("ARRAY<INT>", "[1, null, 3]", [1, None, 3]),
    ("ARRAY<INT>", '[1, "2"]', WRONG),
    ("ARRAY<INT>", "1", WRONG),
    ("ARRAY<ARRAY<STRING>>", '[["a"], [], null]', [["a"], [], None]),
    ("MAP<STRING, INT>", '{"a": 1, "b": null}', {"a": 1, "b": None}),
    ("MAP<STRING, INT>", '{"a": "1"}', WRONG),
    ("MAP<STRING, INT>", "[]", WRONG),
    ("STRUCT<a: INT, b: STRING>", '{"b": "x", "c": [{}], "a": 1}', (1, "x")),
    ("STRUCT<a: INT, b: STRING>", "{}", (None, None)),
    ("STRUCT<a: INT, b: STRING>", "[]", WRONG),
    ("STRUCT<a: INT, b: STRING>", '{"a": {}}', WRONG),
]

OBJECT = '{"id": "a", "n": 1}'
# A value, and its reason against `id STRING NOT NULL, n INT`; None if it is valid.
VALUES: list[tuple[str | bytes, str | None]] = [
    (OBJECT, None),
    (f"\r\n\t {OBJECT} \n", None),
    ('{"id":"a","N":1,"more":{"id":{"id":[{"id":1,"id":2}]}}}', None),
    ('{"n": 1, "\\u0069d": "a"}', None),
    (b"\xef\xbb\xbf" + OBJECT.encode(), "malformed"),
    (OBJECT.encode("utf-16-le"), "malformed"),
    (OBJECT.encode("utf-16-be"), "malformed"),
    (OBJECT.encode("utf-32-le"), "malformed"),
    (OBJECT + "\0", "trailing_garbage"),
    (OBJECT + "\n" + OBJECT, "trailing_garbage"),
    (OBJECT + " /* no */", "trailing_garbage"),
    (OBJECT + "]", "trailing_garbage"),
    ("{}", "missing_field"),
    ("{" + OBJECT, "malformed"),
    ('{"id": "a",}', "malformed"),
    ('{"id": "a" "n": 1}', "malformed"),
    ('{"id": "a", n: 1}', "malformed"),
    ('{"id": "a", "n": 01}', "malformed"),
    ('{"id": "a", "n": +1}', "malformed"),
    ('{"id": "a", "n": .5}', "malformed"),
    ('{"id": "a\nb"}', "malformed"),
    ('{"id": "a\\x"}', "malformed"),
    ('{"id": "a", "n": Infinity}', "malformed"),
    ('{"id": "a", "x": ' + "[" * 5_000 + "]" * 5_000 + "}", "malformed"),
    ('{"id": "a", "id": "a"}', "duplicate_key"),
    ('{"id": "a", "more": 1, "more": 1}', "duplicate_key"),
    ('{"id": "a", "\\u0069d": "b"}', "duplicate_key"),
    ('{"id": "a", "n": null, "n": 1}', "duplicate_key"),
    (b'{"id": "\xff"}', "not_utf8"),
    # An overlong UTF-8 encoding, and half of a surrogate pair.
    (b'{"id": "\xc1\xa1"}', "not_utf8"),
    (b'{"id": "\xed\xa0\x80"}', "not_utf8"),
]


def outcomes(records: DataFrame, schema: str) -> dict[int, tuple[bool, Any]]:
    """By place: whether a record is accepted, and its row or reason."""
    source = {"topic": "in", "schema": schema}
    outputs = {"all": {"sql": "TABLE events", "topic": "out"}}
    declared = parse("p", {"source": source, "outputs": outputs, "invalid": "bad"})
    parsed = parse_records(records, declared.source)
    good = accepted_events(validate_records(parsed, declared.source, {}), declared.source).collect()
    bad = rejected_records(
        validate_records(parsed, declared.source, {}), declared.source, {}
    ).collect()
    found: dict[int, tuple[bool, Any]] = {row["_offset"] - 100: (True, row) for row in good}
    return found | {row["_offset"] - 100: (False, row["_reason"]) for row in bad}


@pytest.mark.parametrize("kind", list(dict.fromkeys(kind for kind, _, _ in MEMBERS)))
def test_member_is_read_as_its_type_or_has_wrong_type(records: Records, kind: str) -> None:
    cases = [(text, value) for each, text, value in MEMBERS if each == kind]
    found = outcomes(records([f'{{"x": {text}}}' for text, _ in cases]), f"x {kind}")
    for place, (text, value) in enumerate(cases):
        is_accepted, what = found[place]
        assert (is_accepted, what["x"] if is_accepted else what) == (
            (False, "wrong_type") if value is WRONG else (True, value)
        ), text


def test_invalid_value_has_a_reason(records: Records) -> None:
    found = outcomes(records([value for value, _ in VALUES]), "id STRING NOT NULL, n INT")
    wrong = [
        (value[:60], reason, found.get(place))
        for place, (value, reason) in enumerate(VALUES)
        if place not in found or (None if found[place][0] else found[place][1]) != reason
    ]
    assert wrong == []


def test_duplicate_names_in_declared_objects_are_invalid(records: Records) -> None:
    schema = "list ARRAY<STRUCT<a: INT>>, map MAP<STRING, INT>"
    values = ['{"list": [{"a": 1}, {"a": 1, "a": 2}]}', '{"map": {"k": 1, "k": 1}}', '{"map": {}}']
    found = outcomes(records(values), schema)
    assert [found[0][1], found[1][1], found[2][0]] == ["duplicate_key", "duplicate_key", True]


def test_fields_in_any_order_with_any_names(records: Records) -> None:
    names = ["a b", "ä", "x`y", "from", "a.b"]
    quoted = ", ".join(f"`{name.replace('`', '``')}` INT" for name in names)
    value = {name: place for place, name in enumerate(names)}
    backwards = dict(reversed(value.items()))
    found = outcomes(records([json.dumps(value), json.dumps(backwards)]), quoted)
    for place in (0, 1):
        assert found[place][0], found[place]
        assert [found[place][1][name] for name in names] == list(range(len(names)))
