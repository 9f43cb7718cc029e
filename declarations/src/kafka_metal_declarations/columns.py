"""Types of the columns of a file, learnt row by row."""

from collections.abc import Mapping, Sequence

from kafka_metal_declarations.kinds import (
    STRING,
    UNKNOWN,
    Kind,
    Unknown,
    kind_of_json,
    kind_of_text,
)
from kafka_metal_declarations.text_file import quoted

# Texts that often stand for no value; they make a column of numbers one of texts.
LIKELY_NULLS = {"NA", "N/A", "NULL", "null", "None", "nil", "NaN", "nan", "\\N", "-", "?"}


class CsvColumns:
    """Columns of a CSV: a type holds each of its values beyond doubt (``007`` is no number)."""

    def __init__(self, header: Sequence[str], null: str | None = None) -> None:
        """``null`` is a text that stands for no value, besides an empty one."""
        self.nulls = {"", null} if null else {""}
        self._header = list(header)
        self._kinds: list[Kind] = [UNKNOWN] * len(header)
        self._likely_nulls: dict[int, str] = {}

    def learn(self, fields: Sequence[str]) -> None:
        """One row more, as wide as the header."""
        for index, text in enumerate(fields):
            if text in self.nulls:
                continue
            if text in LIKELY_NULLS:
                self._likely_nulls[index] = text
            elif (kind := self._kinds[index]) is not STRING:
                self._kinds[index] = kind.joined(kind_of_text(text))

    def kinds(self) -> dict[str, Kind]:
        """The type of each column, STRING for one without values."""
        return {
            name: STRING if index in self._likely_nulls or isinstance(kind, Unknown) else kind
            for index, (name, kind) in enumerate(zip(self._header, self._kinds, strict=True))
        }

    def hints(self) -> list[str]:
        """A sentence on each column that only such a text keeps from being one of numbers."""
        return [
            f"column {self._header[index]} is a text only because of {quoted(text)}; "
            f"with --null {text} it is a {self._kinds[index]}"
            for index, text in sorted(self._likely_nulls.items())
            if self._kinds[index] is not STRING and not isinstance(self._kinds[index], Unknown)
        ]


def learn_members(kinds: dict[str, Kind], value: Mapping[str, object]) -> None:
    """Join the types of an object's members to ``kinds``, in the order of their appearance."""
    for name, member in value.items():
        kind = kinds.get(name, UNKNOWN)
        if kind is not STRING and (found := kind_of_json(member)) is not kind:
            kind = kind.joined(found)
        kinds[name] = kind
