"""Parsing of a record's value to an event: JSON, CSV, plain text, or by a schema registry's ids.

``parse`` is one expression over the value. ``shape`` takes the event and marks about the parsing
from its result, ``whole`` evaluates whether the marks mean success, and ``fault`` returns the
reason if not. ``fault`` and ``field_text`` are evaluated for rejected records only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kafka_metal_declarations.ddl import Field, quote_name
from kafka_metal_declarations.model import Source
from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline import wire_format
from kafka_metal_pipeline.avro import Avro
from kafka_metal_pipeline.nesting import wire_type

# Appended to every CSV row: if it is parsed, the whole row was.
END = "_end"

# The catalog of functions for JSON and instants.
JSON = "kafka_metal_json"

WHITESPACE = " \t\r\n"

# The column with the value as a string.
TEXT = "_text"

Marks = dict[str, Column]


class Format(Protocol):
    """A format of values; ``value`` is binary, ``text`` the same as a string."""

    # Whether a value has to be UTF-8 text.
    is_text: bool

    def parse(self, value: Column) -> Column:
        """Return the parsed value, a struct."""

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Return the event (a struct with instants as text, or null) and the marks by name.

        The mark ``_is_text``: whether all text of the value is valid UTF-8.
        """

    def whole(self) -> Column:
        """Whether the value was parsed completely and every field has its type; never null."""

    def fault(self, text: Column) -> Column:
        """Return the reason why it was not; null if it was."""

    def field_text(self, text: Column, field: Field) -> Column:
        """Return a field's text for the detail of a rejected record."""


@dataclass(frozen=True)
class Json:
    """One JSON object per record."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """Return the object and its marks, in one pass over the bytes: see images/spark/json."""
        return F.call_function(f"{JSON}.{quote_name(wire_schema(self.source.fields))}", value)

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Return the object and marks: UTF-8, end, wrong type, duplicate name, surrogate."""
        twice = parsed["_twice"] if self.source.duplicate_keys == "refuse" else F.lit(False)
        names = ("_is_text", "_ended", "_wrong_type", "_halved")
        marks = {name: parsed[name] for name in names}
        return parsed, {**marks, "_twice": twice}

    def whole(self) -> Column:
        """Whether the value is exactly one object."""
        return F.expr("_ended AND NOT (_wrong_type OR _twice OR _halved)")

    def fault(self, text: Column) -> Column:
        """Return the reason: not JSON, more than an object, or not an object."""
        # try_parse_json stops after the first value: null only if that is not JSON.
        starts_well = F.try_parse_json(text).isNotNull() | F.col("_twice")
        return (
            F.when(F.trim(text, F.lit(WHITESPACE)) == "", "empty")
            .when(~F.col("_ended") & ~starts_well, "malformed")
            .when(~F.col("_ended") & F.json_object_keys(text).isNull(), "not_an_object")
            .when(~F.col("_ended"), "trailing_garbage")
            .when(F.col("_twice"), "duplicate_key")
            .when(F.col("_halved"), "lone_surrogate")
            .when(F.col("_wrong_type"), "wrong_type")
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """Return the member as JSON, a string without its quotes."""
        return F.get_json_object(text, f"$['{field.name}']")


@dataclass(frozen=True)
class JsonSchema:
    """One JSON object per record, in the wire format of a schema registry."""

    source: Source

    is_text = False

    def parse(self, value: Column) -> Column:
        """Return the framing, whether its schema is known, and the object."""
        framed = wire_format.is_framed(value)
        known = wire_format.is_known(self.source, framed, wire_format.writer_of(value))
        found = self._json.parse(F.when(framed, wire_format.body(value)))
        return F.struct(framed.alias("_framed"), known.alias("_known"), found.alias("_object"))

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Return the object and the marks of JSON, and framed, schema known."""
        event, marks = self._json.shape(parsed["_object"])
        # Without a head nothing was read, which is malformed and not another fault.
        marks = {
            name: F.when(parsed["_framed"], mark).otherwise(name == "_is_text")
            for name, mark in marks.items()
        }
        return event, {**marks, "_framed": parsed["_framed"], "_known": parsed["_known"]}

    def whole(self) -> Column:
        """Whether the schema is known, and the rest is exactly one object."""
        return F.expr("_framed AND _known") & self._json.whole()

    def fault(self, text: Column) -> Column:
        """Return the reason: empty, without a head, unknown schema, or that of JSON."""
        return (
            F.when(F.length("_raw") == 0, "empty")
            .when(~F.col("_framed"), "malformed")
            .when(~F.col("_known"), "unknown_schema")
            .otherwise(self._json.fault(self._body))
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """Return the member as JSON, a string without its quotes."""
        return self._json.field_text(self._body, field)

    @property
    def _json(self) -> Json:
        return Json(self.source)

    @property
    def _body(self) -> Column:
        return wire_format.body(F.col("_raw")).cast("string")


@dataclass(frozen=True)
class Csv:
    """One row per record, its columns in the order of the schema; no header."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """Return the row with END as its last column.

        With a missing or extra column, a second row or an open quote, END is not in that column.
        """
        schema = f"{wire_schema(self.source.fields)}, {END} STRING, _corrupt STRING"
        options = {**self._options, "columnNameOfCorruptRecord": "_corrupt"}
        return F.from_csv(self._row(value.cast("string")), schema, options)

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Return the row and marks: UTF-8, end reached, wrong type."""
        marks = {
            "_is_text": F.is_valid_utf8(TEXT),
            "_ended": F.equal_null(parsed[END], F.lit(END)),
            "_wrong_type": parsed["_corrupt"].isNotNull(),
        }
        return parsed, marks

    def whole(self) -> Column:
        """Whether the value is exactly one row."""
        return F.expr("_ended AND NOT _wrong_type")

    def fault(self, text: Column) -> Column:
        """Return the reason: wrong number of columns, or wrong type."""
        return (
            F.when(F.trim(text, F.lit(WHITESPACE)) == "", "empty")
            .when(~F.col("_ended"), "malformed")
            .when(F.col("_wrong_type"), "wrong_type")
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """Return the column's text."""
        columns = ", ".join(f"{quote_name(other.name)} STRING" for other in self.source.fields)
        return F.from_csv(self._row(text), f"{columns}, {END} STRING", self._options)[field.name]

    def _row(self, text: Column) -> Column:
        end = F.lit(f"{self.source.delimiter}{END}")
        return F.concat(F.rtrim(text, F.lit("\r\n")), end)

    @property
    def _options(self) -> Mapping[str, str]:
        # RFC 4180 doubles quotes inside quotes; Spark's default escape is a backslash.
        quotes = {"quote": '"', "escape": '"'}
        return {"sep": self.source.delimiter, "nullValue": self.source.null_value, **quotes}


@dataclass(frozen=True)
class Plain:
    """The value is the event's only field."""

    source: Source

    is_text = True

    def parse(self, value: Column) -> Column:
        """Return the text as the only field."""
        return F.struct(value.cast("string").alias(self.source.fields[0].name))

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Return the field and the mark UTF-8."""
        return parsed, {"_is_text": F.is_valid_utf8(TEXT)}

    def whole(self) -> Column:
        """Return true: any UTF-8 text is valid."""
        return F.lit(True)

    def fault(self, text: Column) -> Column:
        """Return null: parsing cannot fail."""
        return F.lit(None).cast("string")

    def field_text(self, text: Column, field: Field) -> Column:
        """Return ``text``: the whole value is the only field."""
        return text


FORMATS: dict[str, type[Json] | type[JsonSchema] | type[Csv] | type[Plain] | type[Avro]] = {
    "json": Json,
    "csv": Csv,
    "plain": Plain,
    "avro": Avro,
    "json_schema": JsonSchema,
}


def format_of(source: Source) -> Format:
    """Return the parser of a source's values."""
    return FORMATS[source.format](source)


def wire_schema(fields: tuple[Field, ...]) -> str:
    """Return DDL for the parsers; instants stay text: see ``ranges``."""
    return ", ".join(f"{quote_name(field.name)} {wire_type(field.type)}" for field in fields)
