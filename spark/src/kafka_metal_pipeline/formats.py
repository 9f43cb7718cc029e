"""How a record's value becomes an event: JSON, CSV, plain text or Avro.

A format reads the value by one expression, ``parse``. From its result ``shape`` takes the event and
marks of how reading went, ``whole`` says by the marks whether the value was read in full, and
``fault`` why not. Only rejected records pay for ``fault`` and ``field_text``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kafka_metal_declarations.ddl import Field, quoted
from kafka_metal_declarations.model import Source
from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.avro import Avro
from kafka_metal_pipeline.nesting import wire_type

# Stands behind every row, so that it is seen whether reading got to its end.
END = "_end"

# The catalog of functions that read JSON, and instants.
JSON = "kafka_metal_json"

WHITESPACE = " \t\r\n"

# The value as a string, beside what was read of it.
TEXT = "_text"

Marks = dict[str, Column]


class Format(Protocol):
    """One format of values: ``value`` as a record has it, ``text`` as a string."""

    # Whether a value is text, which has to be UTF-8.
    is_text: bool

    def parse(self, value: Column) -> Column:
        """Read the value: a struct."""

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """The event, a struct whose instants are text, or null; and the marks by name.

        One of them is ``_is_text``: that the value is the text it has to be.
        """

    def whole(self) -> Column:
        """Whether the value was read in full and every field has its type; never null."""

    def fault(self, text: Column) -> Column:
        """Why it was not; null when it was."""

    def field_text(self, text: Column, field: Field) -> Column:
        """A field's text for the message about a rejected record."""


@dataclass(frozen=True)
class Json:
    """One JSON object per record."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """The object and its marks, in one pass over the value's bytes: see images/spark/json."""
        return F.call_function(f"{JSON}.{quoted(wire_schema(self.source.fields))}", value)

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Marks: UTF-8, end reached, another type, a name there twice, half a surrogate pair."""
        twice = parsed["_twice"] if self.source.duplicate_keys == "refuse" else F.lit(False)
        told = {name: parsed[name] for name in ("_is_text", "_ended", "_misfit", "_halved")}
        return parsed, {**told, "_twice": twice}

    def whole(self) -> Column:
        """One object, and nothing after it."""
        return F.expr("_ended AND NOT (_misfit OR _twice OR _halved)")

    def fault(self, text: Column) -> Column:
        """Tell apart what is no JSON, what is more than an object, and what is another value."""
        # Reads the first value and stops: null when already that is no JSON.
        starts_well = F.try_parse_json(text).isNotNull() | F.col("_twice")
        return (
            F.when(F.trim(text, F.lit(WHITESPACE)) == "", "empty")
            .when(~F.col("_ended") & ~starts_well, "malformed")
            .when(~F.col("_ended") & F.json_object_keys(text).isNull(), "not_an_object")
            .when(~F.col("_ended"), "trailing_garbage")
            .when(F.col("_twice"), "duplicate_key")
            .when(F.col("_halved"), "lone_surrogate")
            .when(F.col("_misfit"), "wrong_type")
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """The member as JSON, a string without its quotes."""
        return F.get_json_object(text, f"$['{field.name}']")


@dataclass(frozen=True)
class Csv:
    """One row per record, its columns in the order of the schema; no header."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """The row and, as a last column that only the end of the row can fill, the end mark.

        A missing column, one too many, a second row and an open quote all show in it.
        """
        schema = f"{wire_schema(self.source.fields)}, {END} STRING, _corrupt STRING"
        options = {**self._options, "columnNameOfCorruptRecord": "_corrupt"}
        return F.from_csv(self._row(value.cast("string")), schema, options)

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Marks: UTF-8, end reached, a column of another type."""
        marks = {
            "_is_text": F.is_valid_utf8(TEXT),
            "_ended": F.equal_null(parsed[END], F.lit(END)),
            "_misfit": parsed["_corrupt"].isNotNull(),
        }
        return parsed, marks

    def whole(self) -> Column:
        """One row."""
        return F.expr("_ended AND NOT _misfit")

    def fault(self, text: Column) -> Column:
        """Tell apart another number of columns and another type."""
        return (
            F.when(F.trim(text, F.lit(WHITESPACE)) == "", "empty")
            .when(~F.col("_ended"), "malformed")
            .when(F.col("_misfit"), "wrong_type")
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """The column as it stands in the row."""
        columns = ", ".join(f"{quoted(other.name)} STRING" for other in self.source.fields)
        return F.from_csv(self._row(text), f"{columns}, {END} STRING", self._options)[field.name]

    def _row(self, text: Column) -> Column:
        end = F.lit(f"{self.source.delimiter}{END}")
        return F.concat(F.rtrim(text, F.lit("\r\n")), end)

    @property
    def _options(self) -> Mapping[str, str]:
        # A quote in quotes is written twice, as RFC 4180 has it; Spark's own is a backslash.
        quotes = {"quote": '"', "escape": '"'}
        return {"sep": self.source.delimiter, "nullValue": self.source.null_value, **quotes}


@dataclass(frozen=True)
class Plain:
    """The value is the event's only field."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """The text itself."""
        return F.struct(value.cast("string").alias(self.source.fields[0].name))

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Marks: UTF-8; any text will do."""
        return parsed, {"_is_text": F.is_valid_utf8(TEXT)}

    def whole(self) -> Column:
        """Always."""
        return F.lit(True)

    def fault(self, text: Column) -> Column:
        """None."""
        return F.lit(None).cast("string")

    def field_text(self, text: Column, field: Field) -> Column:
        """The text."""
        return text


FORMATS: dict[str, type[Json] | type[Csv] | type[Plain] | type[Avro]] = {
    "json": Json,
    "csv": Csv,
    "plain": Plain,
    "avro": Avro,
}


def format_of(source: Source) -> Format:
    """The format that a source declares."""
    return FORMATS[source.format](source)


def wire_schema(fields: tuple[Field, ...]) -> str:
    """DDL for the parsers. Instants stay text: see ``ranges``."""
    return ", ".join(f"{quoted(field.name)} {wire_type(field.type)}" for field in fields)
