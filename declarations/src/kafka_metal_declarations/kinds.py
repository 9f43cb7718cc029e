"""SQL types of values, and the narrowest type for values of two types."""

import math
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from kafka_metal_declarations.ddl import quote_name
from kafka_metal_declarations.ddl_types import WIDEST_DECIMAL
from kafka_metal_declarations.keys import HIGHEST_NUMBER

# ASCII digits only: JSON and Spark support no others.
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# Java's maximum offset of a time zone from UTC.
FARTHEST_ZONE = timedelta(hours=18)
# A number with leading zeros is a code, such as a postal code.
INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
# Largest integer below which a DOUBLE represents every integer.
DOUBLE_MAX = 2**53
# Digits; Python refuses to convert more than 4,300 digits by default.
LONGEST_INT = 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A DDL type; ``large`` marks integers that a DOUBLE would round."""

    name: str = ""
    large: bool = False

    def __str__(self) -> str:
        """Return the type as DDL."""
        return self.name

    def joined(self, other: "Kind") -> "Kind":
        """Return the narrowest type for values of both; STRING if there is no other."""
        if self is other or self == other or isinstance(other, Unknown):
            return self
        pair = frozenset(((self.name, self.large), (other.name, other.large)))
        return WIDENING.get(pair, STRING)


class Unknown(Kind):
    """The type of a column without any value yet."""

    def __str__(self) -> str:
        """Return STRING, which holds any later value."""
        return "STRING"

    def joined(self, other: Kind) -> Kind:
        """Return ``other``: without values, any type fits."""
        return other


@dataclass(frozen=True, slots=True)
class Struct(Kind):
    """An object and its members."""

    members: dict[str, Kind] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return STRUCT with the members in order of first appearance."""
        inner = ", ".join(f"{quote_name(name)}: {kind}" for name, kind in self.members.items())
        return f"STRUCT<{inner}>" if inner else "STRING"

    def joined(self, other: Kind) -> Kind:
        """Return a STRUCT with the members of both; STRING for another type."""
        if isinstance(other, Unknown):
            return self
        if not isinstance(other, Struct):
            return STRING
        members = dict(self.members)
        for name, kind in other.members.items():
            members[name] = members.get(name, Unknown()).joined(kind)
        return Struct(members=members)


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """A list and the type of its elements."""

    element: Kind = field(default_factory=Unknown)

    def __str__(self) -> str:
        """Return ARRAY of the element's type."""
        return f"ARRAY<{self.element}>"

    def joined(self, other: Kind) -> Kind:
        """Return an ARRAY for the elements of both; STRING for another type."""
        if isinstance(other, Unknown):
            return self
        return (
            Array(element=self.element.joined(other.element))
            if isinstance(other, Array)
            else STRING
        )


UNKNOWN, STRING = Unknown(), Kind("STRING")
BIGINT, DECIMAL, DOUBLE = Kind("BIGINT"), Kind(f"DECIMAL({WIDEST_DECIMAL},0)"), Kind("DOUBLE")
# A DOUBLE cannot distinguish 9007199254740993 from 9007199254740992.
LARGE_BIGINT = Kind("BIGINT", large=True)
BOOLEAN, INSTANT, DAY = Kind("BOOLEAN"), Kind("TIMESTAMP"), Kind("DATE")
WIDENING = {
    frozenset((one.name, one.large) for one in pair): wide
    for *pair, wide in (
        (BIGINT, DOUBLE, DOUBLE),
        (BIGINT, LARGE_BIGINT, LARGE_BIGINT),
        (BIGINT, DECIMAL, DECIMAL),
        (LARGE_BIGINT, DECIMAL, DECIMAL),
        (DAY, INSTANT, INSTANT),
    )
}


# Texts are cached: most columns have few distinct values.
@lru_cache(10_000)
def infer_text_kind(text: str) -> Kind:
    """Return the type of a CSV column's text."""
    if text in ("true", "false", "True", "False", "TRUE", "FALSE"):
        return BOOLEAN
    if INTEGER.fullmatch(text):
        whole = _whole(int(text)) if len(text) < LONGEST_INT else STRING
        # Integers of more than 64 bits are ids: STRING keeps their digits.
        return STRING if whole is DECIMAL else whole
    if NUMBER.fullmatch(text):
        return _fraction(float(text))
    return _kind_of_string(text)


def infer_json_kind(value: object) -> Kind:
    """Return the type of a JSON value; a string that contains a number stays STRING."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _fraction(value)
    if isinstance(value, str):
        return _kind_of_string(value)
    if isinstance(value, list):
        array = Array()
        for element in value:
            array = Array(element=array.element.joined(infer_json_kind(element)))
        return array
    if isinstance(value, dict):
        return Struct(members={name: infer_json_kind(member) for name, member in value.items()})
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _kind_of_string(text: str) -> Kind:
    # Fast path: this character excludes most texts.
    if text[4:5] != "-":
        return STRING
    is_day = DATE.fullmatch(text) is not None
    if not is_day and not TIME.fullmatch(text):
        return STRING
    try:
        zone = datetime.fromisoformat(text).utcoffset()
    except ValueError:
        # Not an existing day or hour.
        return STRING
    if zone is not None and abs(zone) > FARTHEST_ZONE:
        return STRING
    return DAY if is_day else INSTANT


def _fraction(number: float) -> Kind:
    return DOUBLE if math.isfinite(number) else STRING


def _whole(number: int) -> Kind:
    if abs(number) <= DOUBLE_MAX:
        return BIGINT
    if abs(number) <= HIGHEST_NUMBER:
        return LARGE_BIGINT
    return DECIMAL if len(str(abs(number))) <= WIDEST_DECIMAL else STRING
