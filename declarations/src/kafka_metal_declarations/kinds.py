"""Types of values, and the type that holds values of two."""

import math
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from kafka_metal_declarations.ddl import quoted
from kafka_metal_declarations.ddl_types import WIDEST_DECIMAL
from kafka_metal_declarations.keys import HIGHEST_NUMBER

# Digits are those of ASCII: JSON and Spark know no others.
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# What no zone is away from UTC.
FARTHEST_ZONE = timedelta(hours=18)
# A number with leading zeros is a code: a postal code, an account.
INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
# Up to here a DOUBLE holds each whole number.
DOUBLE_MAX = 2**53
# Python refuses to convert endless digits.
LONGEST_INT = 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A type in DDL; ``large`` are whole numbers that a DOUBLE would round."""

    name: str = ""
    large: bool = False

    def __str__(self) -> str:
        """The type as DDL writes it."""
        return self.name

    def joined(self, other: "Kind") -> "Kind":
        """The narrowest type for values of both; STRING holds everything."""
        if self is other or self == other or isinstance(other, Unknown):
            return self
        pair = frozenset(((self.name, self.large), (other.name, other.large)))
        return WIDENING.get(pair, STRING)


class Unknown(Kind):
    """No value seen yet."""

    def __str__(self) -> str:
        """Text holds whatever comes."""
        return "STRING"

    def joined(self, other: Kind) -> Kind:
        """The first value decides."""
        return other


@dataclass(frozen=True, slots=True)
class Struct(Kind):
    """An object and its members."""

    members: dict[str, Kind] = field(default_factory=dict)

    def __str__(self) -> str:
        """STRUCT of the members in the order of their appearance."""
        inner = ", ".join(f"{quoted(name)}: {kind}" for name, kind in self.members.items())
        return f"STRUCT<{inner}>" if inner else "STRING"

    def joined(self, other: Kind) -> Kind:
        """Members of both."""
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
        """ARRAY of the element's type."""
        return f"ARRAY<{self.element}>"

    def joined(self, other: Kind) -> Kind:
        """An array of what holds elements of both."""
        if isinstance(other, Unknown):
            return self
        return (
            Array(element=self.element.joined(other.element))
            if isinstance(other, Array)
            else STRING
        )


UNKNOWN, STRING = Unknown(), Kind("STRING")
BIGINT, DECIMAL, DOUBLE = Kind("BIGINT"), Kind(f"DECIMAL({WIDEST_DECIMAL},0)"), Kind("DOUBLE")
# As DOUBLE, 9007199254740993 and 9007199254740992 would be one.
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


# Texts that are looked at once for all rows: in most columns they are few.
@lru_cache(10_000)
def kind_of_text(text: str) -> Kind:
    """Type of a CSV column's text."""
    if text in ("true", "false", "True", "False", "TRUE", "FALSE"):
        return BOOLEAN
    if INTEGER.fullmatch(text):
        whole = _whole(int(text)) if len(text) < LONGEST_INT else STRING
        # An account, an id: a column of texts keeps its digits whatever else comes.
        return STRING if whole is DECIMAL else whole
    if NUMBER.fullmatch(text):
        return _fraction(float(text))
    return _kind_of_words(text)


def kind_of_json(value: object) -> Kind:
    """Type of a JSON value; a text that is a number stays text."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _fraction(value)
    if isinstance(value, str):
        return _kind_of_words(value)
    if isinstance(value, list):
        array = Array()
        for element in value:
            array = Array(element=array.element.joined(kind_of_json(element)))
        return array
    if isinstance(value, dict):
        return Struct(members={name: kind_of_json(member) for name, member in value.items()})
    raise TypeError(f"{type(value).__name__} is no type of JSON")


def _kind_of_words(text: str) -> Kind:
    # Most texts are told by one character.
    if text[4:5] != "-":
        return STRING
    is_day = DATE.fullmatch(text) is not None
    if not is_day and not TIME.fullmatch(text):
        return STRING
    try:
        zone = datetime.fromisoformat(text).utcoffset()
    except ValueError:
        # No such day or hour.
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
