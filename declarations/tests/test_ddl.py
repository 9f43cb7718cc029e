"""DDL as people and samples write it."""

import pytest
from kafka_metal_declarations.ddl import Field, SchemaError, inner_types, parse_ddl, to_ddl


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
def test_names_with_and_without_quotes_are_read_alike(text: str, name: str, kind: str) -> None:
    assert parse_ddl(text) == (Field(name, kind, False),)


def test_members_of_quoted_names_have_their_types() -> None:
    """A sample's schema quotes every name; a time in a member must be seen as one."""
    (field,) = parse_ddl("`s` STRUCT<`at`: TIMESTAMP, `l`: ARRAY<STRUCT<`x y`: DATE>>>")
    assert inner_types(field.type) == [("at", "TIMESTAMP"), ("l", "ARRAY<STRUCT<`x y`: DATE>>")]
    assert inner_types("STRUCT<at: TIMESTAMP, n INT>") == [("at", "TIMESTAMP"), ("n", "INT")]


def test_what_is_written_is_read_again() -> None:
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
        ("STRUCT<a: INT, a: INT>", "a is there twice"),
        ("ARRAY<" * 2000 + "INT" + ">" * 2000, "within each other"),
        ("STRING COMMENT 'x' NOT NULL", "STRING"),
        ("STRING COMMENT", "STRING"),
    ],
)
def test_a_type_that_spark_does_not_know_is_refused(kind: str, allowed: str) -> None:
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
    ],
)
def test_a_type_that_spark_knows_is_allowed(kind: str) -> None:
    assert [field.name for field in parse_ddl(f"id {kind}, n INT")] == ["id", "n"]
