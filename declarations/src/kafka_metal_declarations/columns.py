"""Column types of a file, inferred row by row."""

from collections.abc import Mapping, Sequence

from kafka_metal_declarations.kinds import (
    STRING,
    UNKNOWN,
    Kind,
    Unknown,
    infer_json_kind,
    infer_text_kind,
)
from kafka_metal_declarations.text_file import quote_shortened

# Texts that often mean null; in a column of numbers they make the type STRING.
LIKELY_NULLS = {"NA", "N/A", "NULL", "null", "None", "nil", "NaN", "nan", "\\N", "-", "?"}


class CsvColumns:
    """Columns of a CSV; a type is only inferred if it keeps each value (``007`` stays a text)."""

    def __init__(self, header: Sequence[str], null: str | None = None) -> None:
        """``null`` is a text that means null, in addition to the empty text."""
        self.nulls = {"", null} if null else {""}
        self._header = list(header)
        self._kinds: list[Kind] = [UNKNOWN] * len(header)
        self._likely_nulls: dict[int, str] = {}

    def add_row(self, fields: Sequence[str]) -> None:
        """Widen the types so that they hold a row, which is as wide as the header."""
        for index, text in enumerate(fields):
            if text in self.nulls:
                continue
            if text in LIKELY_NULLS:
                self._likely_nulls[index] = text
            elif (kind := self._kinds[index]) is not STRING:
                self._kinds[index] = kind.joined(infer_text_kind(text))

    def kinds(self) -> dict[str, Kind]:
        """Return the type of each column, STRING for one without values."""
        return {
            name: STRING if index in self._likely_nulls or isinstance(kind, Unknown) else kind
            for index, (name, kind) in enumerate(zip(self._header, self._kinds, strict=True))
        }

    def hints(self) -> list[str]:
        """Return a message for each column that is STRING only because of a likely null text."""
        return [
            f"column {self._header[index]} is a text only because of {quote_shortened(text)}; "
            f"with --null {text} it is a {self._kinds[index]}"
            for index, text in sorted(self._likely_nulls.items())
            if self._kinds[index] is not STRING and not isinstance(self._kinds[index], Unknown)
        ]


def add_object(kinds: dict[str, Kind], value: Mapping[str, object]) -> None:
    """Widen ``kinds`` so that they hold an object's members, in order of first appearance."""
    for name, member in value.items():
        kind = kinds.get(name, UNKNOWN)
        if kind is not STRING and (found := infer_json_kind(member)) is not kind:
            kind = kind.joined(found)
        kinds[name] = kind
