"""How a record's value becomes an event: JSON, CSV, plain text or Avro.

A format reads the value by one expression, ``parse``. From its result ``shape`` takes the event and
marks of how reading went, ``whole`` says by the marks whether the value was read in full, and
``fault`` why not. Only rejected records pay for ``fault`` and ``field_text``.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.avro import Avro
from kafka_metal_pipeline.ddl import Field, quoted
from kafka_metal_pipeline.model import Source
from kafka_metal_pipeline.nesting import wire_type

# Stands behind every value, so that it is seen whether reading got to the value's end.
END = "_end"

# What our mark holds in JSON, other in each driver: a value that holds it itself is not believed.
UNGUESSABLE = secrets.token_hex(8)

WHITESPACE = " \t\r\n"

Marks = dict[str, Column]


class Format(Protocol):
    """One format of values; ``text`` is the value as a string."""

    # Whether a value is text, which has to be UTF-8.
    is_text: bool

    def parse(self, text: Column) -> Column:
        """Read the value: a struct."""

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """The event, a struct whose instants are text, or null; and the marks by name."""

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

    def parse(self, text: Column) -> Column:
        """The object with a last member that is ours, and the names of its members.

        Alone, Spark stops where an object ends and never sees what follows. Our member takes the
        place of the value's last brace: it is read only where that brace ends the object.
        """
        schema = f"{wire_schema(self.source.fields)}, {END} STRING, _corrupt STRING"
        options = {
            "columnNameOfCorruptRecord": "_corrupt",
            "allowNonNumericNumbers": "false",
            "allowSingleQuotes": "false",
        }
        parse = F.from_json(self._ended(text), schema, options).alias("_parse")
        if not self._refuses_twice:
            return F.struct(parse)
        if self._has_objects:
            # A variant refuses a name that is there twice at any depth, at the price of a parse.
            return F.struct(parse, F.try_parse_json(text).isNull().alias("_unfit"))
        return F.struct(parse, F.json_object_keys(text).alias("_names"))

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Marks: end reached, a field of another type, a name there twice."""
        parse, twice = parsed["_parse"], F.lit(False)
        ended = F.equal_null(parse[END], F.lit(UNGUESSABLE))
        if self._refuses_twice and self._has_objects:
            twice = ended & parsed["_unfit"]
        elif self._refuses_twice:
            twice = _is_twice(parsed["_names"], [parse[field.name] for field in self.source.fields])
        return parse, {"_ended": ended, "_misfit": parse["_corrupt"].isNotNull(), "_twice": twice}

    def whole(self) -> Column:
        """One object, and nothing after it."""
        return F.expr("_ended AND NOT (_misfit OR _twice)")

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
            .when(F.col("_misfit"), "wrong_type")
        )

    @staticmethod
    def _ended(text: Column) -> Column:
        """The value with our member for its last brace; null where it does not end with one.

        Cut as bytes: to count characters takes as long as a fourth of the parser.
        """
        whole = F.when(text.endswith("}"), text).otherwise(F.rtrim(text, F.lit(WHITESPACE)))
        body = F.substring(whole.cast("binary"), F.lit(1), F.octet_length(whole) - 1)
        # Only an object without members has no quote.
        comma = F.when(text.contains('"'), F.lit(b",")).otherwise(F.lit(b""))
        member = F.lit(f'"{END}":"{UNGUESSABLE}"}}'.encode())
        return F.when(whole.endswith("}"), F.concat(body, comma, member).cast("string"))

    def field_text(self, text: Column, field: Field) -> Column:
        """The member as JSON, a string without its quotes."""
        return F.get_json_object(text, f"$['{field.name}']")

    @property
    def _refuses_twice(self) -> bool:
        return self.source.duplicate_keys == "refuse"

    @property
    def _has_objects(self) -> bool:
        """Whether a field can hold an object, which can have a name twice as well."""
        return any(re.search(r"\b(STRUCT|MAP)\b", f.type.upper()) for f in self.source.fields)


@dataclass(frozen=True)
class Csv:
    """One row per record, its columns in the order of the schema; no header."""

    source: Source

    is_text = True

    def parse(self, text: Column) -> Column:
        """The row and, as a last column that only the end of the row can fill, the end mark.

        A missing column, one too many, a second row and an open quote all show in it.
        """
        schema = f"{wire_schema(self.source.fields)}, {END} STRING, _corrupt STRING"
        options = {**self._options, "columnNameOfCorruptRecord": "_corrupt"}
        return F.from_csv(self._row(text), schema, options)

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """Marks: end reached, a column of another type."""
        marks = {
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

    def parse(self, text: Column) -> Column:
        """The text itself."""
        return F.struct(text.alias(self.source.fields[0].name))

    def shape(self, parsed: Column) -> tuple[Column, Marks]:
        """No marks: any text will do."""
        return parsed, {}

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


def _is_twice(names: Column, values: list[Column]) -> Column:
    """Whether a name is there twice among those of an object's members.

    With as many members as fields that have a value, each is a field's own. Most records end there:
    to compare names costs as much as to find them.
    """
    filled = reduce(Column.__add__, (value.isNotNull().cast("int") for value in values))
    compared = F.size(F.array_distinct(names)) < F.size(names)
    return (F.size(names) != filled) & compared


def wire_schema(fields: tuple[Field, ...]) -> str:
    """DDL for the parsers. Instants stay text: see ``ranges``."""
    return ", ".join(f"{quoted(field.name)} {wire_type(field.type)}" for field in fields)
