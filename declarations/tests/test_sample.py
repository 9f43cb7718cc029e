"""Schemas inferred from samples."""

from pathlib import Path

import pytest
from kafka_metal_declarations.sample import SampleError, infer_schema, with_schemas

CSV = """id,code,big,huge,ratio,flag,day,at,text,mixed,none
1,007,9223372036854775807,92233720368547758070,0.5,true,2026-05-01,2026-05-01T12:00:00Z,a,1,
-2,012,1,1,1e3,false,2026-05-02,2026-05-01 12:00:00,"b, c",x,NA
NA,,3,3,2,NA,NA,2026-05-01T12:00:00.5+02:00,,2.5,
"""
JSONL = """{"id": 1, "amount": 1, "at": "2026-05-01T12:00:00Z", "place": {"lat": 1, "name": null}}

{"id": "7", "amount": 2.5, "at": null, "tags": ["a"], "place": {"lat": 0.5, "more": true}}
{"amount": null, "tags": [], "odd name": "2026-05-01", "huge": 92233720368547758070}
"""


def sample(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_csv_types_are_the_narrowest_for_all_rows(tmp_path: Path) -> None:
    assert infer_schema(sample(tmp_path, "x.csv", CSV), null="NA").split(", ") == [
        "`id` BIGINT",
        "`code` STRING",
        "`big` BIGINT",
        "`huge` STRING",
        "`ratio` DOUBLE",
        "`flag` BOOLEAN",
        "`day` DATE",
        "`at` TIMESTAMP",
        "`text` STRING",
        "`mixed` STRING",
        "`none` STRING",
    ]


def test_json_lines_have_nested_types(tmp_path: Path) -> None:
    assert infer_schema(sample(tmp_path, "x.jsonl", JSONL)) == (
        "`id` STRING, `amount` DOUBLE, `at` TIMESTAMP, "
        "`place` STRUCT<`lat`: DOUBLE, `name`: STRING, `more`: BOOLEAN>, "
        "`tags` ARRAY<STRING>, `odd name` DATE, `huge` DECIMAL(38,0)"
    )


def test_null_text_has_to_be_set(tmp_path: Path) -> None:
    file = sample(tmp_path, "x.csv", "n\n1\nNA\n")
    assert infer_schema(file) == "`n` STRING"
    (found,) = with_schemas(
        {"p": {"source": {"schema": {"sample": "x.csv", "no_value": "NA"}}}}, tmp_path
    ).values()
    assert found == {"source": {"schema": "`n` BIGINT"}}


def test_only_the_requested_rows_are_read(tmp_path: Path) -> None:
    file = sample(tmp_path, "x.csv", "n\n1\ntwo\n")
    assert infer_schema(file, rows=1) == "`n` BIGINT"
    assert infer_schema(file) == "`n` STRING"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "", "line 1, column 1: found an empty file"),
        ("x.csv", "a,,c\n", "line 1, column 3: found a column without a name"),
        ("x.csv", "a,a\n", "line 1, column 3: found the column name 'a' for a second time"),
        ("x.csv", "a,A\n", "field A is declared twice"),
        (
            "x.csv",
            "a,b\n1,2\n3\n",
            "line 3, column 2: found a row of 1 fields; allowed is 2 fields",
        ),
        ("x.jsonl", "", "line 1, column 1: found the end of the file"),
        ("x.jsonl", '{"a": 1}\n[1]\n', "line 2, column 1: found an array"),
        ("x.jsonl", '{"a": 1}\n{"a": }\n', "line 2, column 7"),
        ("x.csv", "a;b\n1;2\n", "found a semicolon in the only column's name"),
        ("x.txt", "a\n1\n", "unknown format; allowed are .csv, .tsv"),
    ],
)
def test_invalid_sample_error_names_the_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(SampleError, match=r"x\.") as error:
        infer_schema(sample(tmp_path, name, text))
    assert message in str(error.value)


def test_delimiter_is_from_the_file_name_or_declaration(tmp_path: Path) -> None:
    sample(tmp_path, "x.csv", "a;b\n1;2\n")
    assert infer_schema(sample(tmp_path, "x.tsv", "a\tb\n1\tx\n")) == "`a` BIGINT, `b` STRING"
    source = {"schema": {"sample": "x.csv", "delimiter": ";"}}
    (found,) = with_schemas({"p": {"source": source}}, tmp_path).values()
    assert found == {"source": {"schema": "`a` BIGINT, `b` BIGINT"}}
    source["schema"]["delimiter"] = ";;"
    with pytest.raises(SampleError, match=r"x\.csv: delimiter: found ';;'; allowed is one char"):
        with_schemas({"p": {"source": source}}, tmp_path)


def test_error_names_a_missing_sample(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"none\.csv"):
        with_schemas({"p": {"source": {"schema": {"sample": "none.csv"}}}}, tmp_path)
