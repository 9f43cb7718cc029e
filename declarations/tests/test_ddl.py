"""DDL as people and samples write it."""

import pytest
from kafka_metal_declarations.ddl import Field, inner_types, parse_ddl, to_ddl


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
