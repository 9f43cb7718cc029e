"""Lone surrogates, which UTF-8 cannot represent: they are invalid, and never become equal."""

from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.statements import topic_records
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records

SCHEMA = (
    "id STRING NOT NULL, list ARRAY<STRING>, map MAP<STRING, STRING>, "
    "inner STRUCT<text: STRING>, n INT"
)
HALVED = [
    r'{"id": "\ud800"}',
    r'{"id": "\udc00"}',
    r'{"id": "\uDfFf"}',
    r'{"id": "at the end \ud83d"}',
    r'{"id": "\ud83dx"}',
    r'{"id": "\ude00\ud83d"}',
    r'{"id": "\ud83d\ud83d\ude00"}',
    r'{"id": "\\\ud800"}',
    r'{"id": "Ä\udbff"}',
    r'{"id": "a", "list": ["b", "\ud800"]}',
    r'{"id": "a", "map": {"b": "\udfff"}}',
    r'{"id": "a", "inner": {"text": "\ud9ab"}}',
]
WHOLE = [
    (r'{"id": "\ud83d\ude00"}', "😀"),
    (r'{"id": "\\ud800"}', r"\ud800"),
    (r'{"id": "?"}', "?"),
    ('{"id": "\ufffd"}', "\ufffd"),
    # A member without a field.
    (r'{"id": "a", "other": "\ud800"}', "a"),
    # JSON in a STRING field is kept as it was written.
    (r'{"id": {"in": "\ud800"}}', r'{"in": "\ud800"}'),
]


def outcome(records: Any, values: list[str]) -> tuple[dict[int, str], dict[int, tuple[str, str]]]:
    """By place: values of accepted records as in a topic; reason and detail of the others."""
    source = {"topic": "in", "schema": SCHEMA}
    outputs = {"all": {"sql": "TABLE events", "topic": "out"}}
    declared = parse("p", {"source": source, "outputs": outputs, "invalid": "bad"}).source
    found = validate_records(parse_records(records(values), declared), declared, {})
    good = accepted_events(found, declared)
    keyed = topic_records(good, "concat_ws('|', _offset, id)").collect()
    ids = dict(row["key"].split("|", 1) for row in keyed)
    bad = rejected_records(found, declared, {}).collect()
    return (
        {int(offset) - 100: each for offset, each in ids.items()},
        {row["_offset"] - 100: (row["_reason"], row["_detail"]) for row in bad},
    )


def test_lone_surrogate_in_any_field_is_invalid(records: Any) -> None:
    accepted_ids, reasons = outcome(records, HALVED)
    assert accepted_ids == {}
    assert {reason for reason, _ in reasons.values()} == {"lone_surrogate"}
    assert len(reasons) == len(HALVED)
    assert all("half of a surrogate pair" in detail for _, detail in reasons.values())


@pytest.mark.parametrize("value", [value for value, _ in WHOLE])
def test_surrogate_pairs_and_similar_texts_are_kept(records: Any, value: str) -> None:
    expected = dict(WHOLE)[value]
    assert outcome(records, [value]) == ({0: expected}, {})


@pytest.mark.parametrize(
    "value", [r'{"id": "a", "map": {"\ud800": "b"}}', r'{"id": "b", "\ud800": 1}']
)
def test_lone_surrogate_in_a_name_is_invalid(records: Any, value: str) -> None:
    # The parser itself refuses such a name: the value is not JSON.
    accepted_ids, reasons = outcome(records, [value])
    assert accepted_ids == {}
    assert reasons[0][0] == "malformed"
