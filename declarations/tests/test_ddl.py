"""Parsing of DDL from declarations and samples."""

from pathlib import Path

import pytest
from kafka_metal_declarations.ddl import Field, SchemaError, inner_types, parse_ddl, to_ddl
from kafka_metal_declarations.sample import infer_schema


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("a INT", "a", "INT"),
        ("a: int", "a", "INT"),
        ("`a b` INT", "a b", "INT"),
        ("`a``b`: INT", "a`b", "INT"),
        ("`a,b` DECIMAL(10,2)", "a,b", "DECIMAL(10,2)"),
    ],
)
def test_quoted_and_unquoted_names_are_parsed(text: str, name: str, kind: str) -> None:
    assert parse_ddl(text) == (Field(name, kind, False),)


def test_quoted_members_have_their_types() -> None:
    """A sample's schema quotes every name; times in members must still be found."""
    (field,) = parse_ddl("`s` STRUCT<`at`: TIMESTAMP, `l`: ARRAY<STRUCT<`x y`: DATE>>>")
    assert inner_types(field.type) == [("at", "TIMESTAMP"), ("l", "ARRAY<STRUCT<`x y`: DATE>>")]
    assert inner_types("STRUCT<at: TIMESTAMP, n INT>") == [("at", "TIMESTAMP"), ("n", "INT")]


def test_to_ddl_output_is_parsed_again() -> None:
    fields = (Field("a`b, c", "BIGINT", True), Field("s", "STRUCT<`x``y`: DATE>", False))
    assert parse_ddl(to_ddl(fields)) == fields


@pytest.mark.parametrize(
    ("kind", "allowed"),
    [
        ("DECIMAL(99,99)", "1 to 38"),
        ("DECIMAL(39)", "1 to 38"),
        ("DECIMAL(0)", "1 to 38"),
        ("NUMERIC(10, 11)", "0 to the precision"),
        ("DECIMAL()", "1 to 38"),
        ("DECIMAL(a)", "1 to 38"),
        ("DECIMAL(1, 1, 1)", "1 to 38"),
        ("CHAR", "CHAR(LENGTH)"),
        ("VARCHAR(0)", "VARCHAR(LENGTH)"),
        ("VARCHAR(99999999999)", "VARCHAR(LENGTH)"),
        ("INT(5)", "without brackets"),
        ("TIMESTAMP(3)", "without brackets"),
        ("ARRAY", "ARRAY<TYPE>"),
        ("ARRAY<>", "ARRAY<TYPE>"),
        ("ARRAY<INT, INT>", "ARRAY<TYPE>"),
        ("ARRAY<INT> garbage", "ARRAY<TYPE>"),
        ("ARRAY<FOO>", "type FOO"),
        ("ARRAY<STRNG>", "did you mean STRING?"),
        ("MAP<STRING>", "MAP<TYPE, TYPE>"),
        ("MAP<STRING, FOO>", "type FOO"),
        ("STRUCT", "STRUCT<NAME: TYPE"),
        ("STRUCT<a>", "STRUCT<NAME: TYPE"),
        ("STRUCT<a: ARRAY<MAP<STRING, FOO>>>", "type FOO"),
        ("STRUCT<a: DECIMAL(99,99)>", "1 to 38"),
        ("STRUCT<a: INT, a: INT>", "a is declared twice"),
        ("STRUCT<a: INT, A: INT>", "A is declared twice"),
        ("STRUCT<: INT>", "': INT' is not a field"),
        ("STRUCT<a: INT,>", "'' is not a field"),
        ("STRUCT<'a': INT>", "only backquotes"),
        ("STRUCT<a:: INT>", "type : INT"),
        ("STRUCT<a: INT COMMENT foo>", "type INT COMMENT FOO"),
        ("STRUCT(a: INT>", "STRUCT<NAME: TYPE"),
        ("ARRAY<STRUCT<a: STRUCT<b INT COMMENT 'x' 1>>>", "type INT COMMENT 'X' 1"),
        ("ARRAY<" * 100 + "INT" + ">" * 100, "more than 100 nested types"),
        ("ARRAY<" * 2000 + "INT" + ">" * 2000, "nested types"),
        ("STRING COMMENT 'x' NOT NULL", "STRING"),
        ("STRING COMMENT", "STRING"),
    ],
)
def test_unsupported_type_is_refused(kind: str, allowed: str) -> None:
    with pytest.raises(SchemaError, match="field id has") as error:
        parse_ddl(f"id {kind}")
    assert allowed in str(error.value)


@pytest.mark.parametrize(
    "kind",
    [
        "DECIMAL",
        "DECIMAL(38)",
        "decimal ( 38 , 38 )",
        "VARCHAR(10)",
        "STRUCT<>",
        "MAP<STRING, ARRAY<DECIMAL(10, 2)>>",
        "STRUCT<`a<b`: INT, c STRING COMMENT 'x, >'>",
        "STRING NOT NULL COMMENT 'it\\'s, so'",
        "STRING COMMENT 'never NOT NULL'",
        "ARRAY<INT> COMMENT 'never NOT NULL'",
        "STRUCT<a: INT COMMENT 'never NOT NULL'>",
        "STRUCT<a: STRUCT<b: INT COMMENT 'x'>>",
        "STRUCT<a: STRUCT<b INT, comment STRING>>",
        "STRUCT<comment: STRING COMMENT 'a comment', b: INT>",
        "ARRAY<" * 99 + "INT" + ">" * 99,
    ],
)
def test_supported_type_is_allowed(kind: str) -> None:
    assert [field.name for field in parse_ddl(f"id {kind}, n INT")] == ["id", "n"]


def test_member_comments_are_removed() -> None:
    (field,) = parse_ddl("s STRUCT<`a  b` STRUCT<c INT, comment STRING> COMMENT 'x', n: int>")
    assert inner_types(field.type) == [("a  b", "STRUCT<c INT, comment STRING>"), ("n", "INT")]


def test_not_null_member_is_refused() -> None:
    with pytest.raises(SchemaError, match="NOT NULL is checked only for whole fields"):
        parse_ddl("s STRUCT<a: INT NOT NULL COMMENT 'x'>")


def test_schema_may_be_as_deep_as_a_sample(tmp_path: Path) -> None:
    """The object itself is one level of nesting."""
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": ' + "[" * 99 + "1" + "]" * 99 + "}")
    (field,) = parse_ddl(infer_schema(file))
    assert field.type.count("ARRAY") == 99
