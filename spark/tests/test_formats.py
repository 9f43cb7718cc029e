"""CSV and plain values, and the number of times a value is parsed."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline.queries import flows
from kafka_metal_pipeline.transforms import accepted_events, rejected_records, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from pyspark.sql import DataFrame

Records = Callable[[Sequence[bytes | str | None]], DataFrame]


def outcome(
    records: DataFrame, source: dict[str, Any], rules: dict[str, str]
) -> dict[int, tuple[Any, ...]]:
    """Fields of accepted records, or reason and detail of rejected ones, by place."""
    declared = parse(
        "p",
        {
            "source": {"topic": "in", **source},
            "rules": rules,
            "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
            "invalid": "bad",
        },
    )
    parsed = parse_records(records, declared.source)
    fields = [field.name for field in declared.source.fields]
    good = accepted_events(
        validate_records(parsed, declared.source, rules), declared.source
    ).collect()
    bad = rejected_records(
        validate_records(parsed, declared.source, rules), declared.source, rules
    ).collect()
    assert not {row["_offset"] for row in good} & {row["_offset"] for row in bad}
    found = {row["_offset"] - 100: tuple(row[name] for name in fields) for row in good}
    return found | {row["_offset"] - 100: (row["_reason"], row["_detail"]) for row in bad}


CSV = {
    "format": "csv",
    "delimiter": ";",
    "null_value": "NA",
    "schema": "id STRING NOT NULL, n INT, at TIMESTAMP, note STRING",
}
CSV_VALUES: list[tuple[str | bytes | None, tuple[Any, ...]]] = [
    ("a;1;2026-05-01T12:00:00Z;x\r\n", ("a", 1, "x")),
    ('b;NA;;"two; lines\nand ""quotes"""', ("b", None, 'two; lines\nand "quotes"')),
    ("c;;NA;", ("c", None, None)),
    (None, ("tombstone",)),
    ("", ("empty",)),
    ("a;1;2026-05-01T12:00:00Z", ("malformed", "the value is not one row of 4 columns")),
    ("a;1;2026-05-01T12:00:00Z;x;y", ("malformed",)),
    ("a;1;;x\nb;2;;y", ("malformed",)),
    ('a;1;;"open', ("malformed",)),
    ("id;n;at;note", ("wrong_type", "n: expected INT, found n; at: expected TIMESTAMP, found at")),
    ("a;1.5;;x", ("wrong_type", "n: expected INT, found 1.5")),
    ("a;1;1777636799123;x", ("out_of_range",)),
    ("NA;1;;x", ("missing_field", "no value in id")),
    ("a;-1;;x", ("positive", "not met: n IS NULL OR n > 0")),
    (b"a;1;;\xff", ("not_utf8",)),
]


def test_csv_record_is_one_row_in_schema_order(records: Records) -> None:
    found = outcome(
        records([value for value, _ in CSV_VALUES]), CSV, {"positive": "n IS NULL OR n > 0"}
    )
    for place, (value, expected) in enumerate(CSV_VALUES):
        row = found[place]
        shown = (row[0], row[1], row[3]) if len(row) == 4 else row[: len(expected)]
        assert shown == expected, value


def test_plain_record_is_its_text(records: Records) -> None:
    values = ["any {text", "", None, b"\xff"]
    found = outcome(records(values), {"format": "plain"}, {"short": "length(value) < 20"})
    assert [found[place][0] for place in range(4)] == ["any {text", "", "tombstone", "not_utf8"]


def test_last_duplicate_key_counts_if_declared(records: Records) -> None:
    twice = '{"id": "a", "id": "b"}'
    schema = {"schema": "id STRING NOT NULL"}
    assert outcome(records([twice]), schema, {})[0] == ("duplicate_key", "more than one id")
    assert outcome(records([twice]), schema | {"duplicate_keys": "last"}, {})[0] == ("b",)


def test_rule_with_null_or_division_by_zero_is_not_met(records: Records) -> None:
    values = ['{"n": 0}', '{"n": 2}', "{}"]
    found = outcome(records(values), {"schema": "n INT"}, {"divides": "10 / n > 1"})
    assert [found[place][0] for place in range(3)] == ["divides", 2, "divides"]


@pytest.mark.parametrize(("form", "parser"), [("json", "JsonObjects"), ("csv", "from_csv(")])
def test_value_is_parsed_once_per_query(records: Records, form: str, parser: str) -> None:
    schema = "id STRING NOT NULL, n INT NOT NULL, at TIMESTAMP NOT NULL, x DOUBLE"
    declared = parse(
        "p",
        {
            "source": {"topic": "in", "format": form, "schema": schema},
            "rules": {"positive": "n > 0 AND x BETWEEN 0 AND 1", "early": "at < _timestamp"},
            "outputs": {
                "some": {"sql": "SELECT * FROM events WHERE n > 5", "topic": "out", "key": "id"},
                "kept": {"path": "all", "partition_by": ["date"]},
            },
            "invalid": "bad",
        },
    )
    plans = {
        flow.name: flow.rows._jdf.queryExecution().executedPlan().toString()
        for flow in flows(records([None]), declared)
    }
    # The detail of a bad CSV record parses its columns again, for rejected records only.
    counted = {"some": 1, "kept": 1} | ({"invalid": 1} if form == "json" else {})
    assert {name: plans[name].count(parser) for name in counted} == counted
    # Accepted records are parsed by no second parser either.
    assert not any("jsonObjectKeys(" in plans[name] for name in ("some", "kept"))
