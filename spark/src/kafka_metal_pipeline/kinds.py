"""Types of values, and the type that holds values of two."""

import re
from dataclasses import dataclass, field

from kafka_metal_pipeline.ddl import quoted

TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
# A number with leading zeros is a code: a postal code, an account.
INTEGER = re.compile(r"-?(0|[1-9]\d*)")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
BIGINT_MAX = 2**63 - 1
# Python refuses to convert endless digits.
LONGEST_INT = 1000
# Digits of the largest DECIMAL.
WIDEST_DECIMAL = 38


@dataclass(frozen=True, slots=True)
class Kind:
    """A type in DDL."""

    name: str = ""

    def __str__(self) -> str:
        """The type as DDL writes it."""
        return self.name

    def joined(self, other: "Kind") -> "Kind":
        """The narrowest type for values of both; STRING holds everything."""
        if self == other or isinstance(other, Unknown):
            return self
        names = {self.name, other.name}
        for narrow, wide in WIDENING:
            if names == {narrow, wide}:
                return Kind(wide)
        return STRING


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


STRING = Kind("STRING")
BIGINT, DECIMAL, DOUBLE = Kind("BIGINT"), Kind(f"DECIMAL({WIDEST_DECIMAL},0)"), Kind("DOUBLE")
BOOLEAN, INSTANT, DAY = Kind("BOOLEAN"), Kind("TIMESTAMP"), Kind("DATE")
WIDENING = (
    (BIGINT.name, DOUBLE.name),
    (BIGINT.name, DECIMAL.name),
    (DECIMAL.name, DOUBLE.name),
    (DAY.name, INSTANT.name),
)


def kind_of_text(text: str) -> Kind:
    """Type of a CSV column's text."""
    if text in ("true", "false", "True", "False", "TRUE", "FALSE"):
        return BOOLEAN
    if INTEGER.fullmatch(text):
        return BIGINT if len(text) < LONGEST_INT and abs(int(text)) <= BIGINT_MAX else STRING
    if NUMBER.fullmatch(text):
        return DOUBLE
    return _kind_of_words(text)


def kind_of_json(value: object) -> Kind:
    """Type of a JSON value; a text that is a number stays text."""
    if value is None:
        return Unknown()
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return DOUBLE
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
    if TIME.fullmatch(text):
        return INSTANT
    return DAY if DATE.fullmatch(text) else STRING


def _whole(number: int) -> Kind:
    if abs(number) <= BIGINT_MAX:
        return BIGINT
    return DECIMAL if len(str(abs(number))) <= WIDEST_DECIMAL else STRING
