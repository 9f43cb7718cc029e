"""How a record's value becomes an event: JSON, CSV or plain text.

Each format gives two things: ``parse``, one expression that reads the value once, and on top of
its result the ``fault`` of the record as a whole, the text of each field where Spark has not
converted it, and, only for the message about a bad record, the text of any field.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_metal_pipeline.ddl import Field, quoted
from kafka_metal_pipeline.model import Source

# Stands behind every value, so that it is seen whether parsing got to the value's end.
END = "_end"


class Format(Protocol):
    """One format of values. ``text`` is the value as a string; ``parsed`` is what parse gave."""

    def parse(self, text: Column) -> Column:
        """Read the value; the only reference to the parser in a plan."""

    def fault(self, text: Column, parsed: Column) -> Column:
        """Why the value as a whole is no event; null when it is one."""

    def field(self, parsed: Column, field: Field) -> Column:
        """A field's value; of an instant its text, which is converted later."""

    def field_text(self, text: Column, field: Field) -> Column:
        """A field's text for the message about a record that was refused."""


@dataclass(frozen=True)
class Json:
    """One JSON object per record."""

    source: Source

    # Wrapped in an array, what follows the object is part of what is parsed: Spark alone stops
    # at the object's end and never sees it.
    def parse(self, text: Column) -> Column:
        """Object, end mark and names of the top-level fields."""
        wrapped = F.concat(F.lit('{"_event":['), text, F.lit(f'],"{END}":true}}'))
        schema = (
            f"_event ARRAY<STRUCT<{wire_schema(self.source.fields)}>>, {END} BOOLEAN, "
            "_corrupt STRING"
        )
        options = {
            "columnNameOfCorruptRecord": "_corrupt",
            "allowNonNumericNumbers": "false",
            "allowSingleQuotes": "false",
        }
        parse = F.from_json(wrapped, schema, options).alias("_parse")
        if self.source.duplicate_keys == "last":
            return F.struct(parse)
        return F.struct(parse, F.json_object_keys(text).alias("_names"))

    def fault(self, text: Column, parsed: Column) -> Column:
        """Refuse what is no single object that Spark could read to its end."""
        parse = parsed["_parse"]
        events = parse["_event"]
        # Reads the first value and stops: null when already that is no JSON.
        starts_well = F.try_parse_json(text).isNotNull()
        unread = F.when(starts_well, "trailing_garbage").otherwise("malformed")
        fault = (
            F.when(parse[END].isNull(), unread)
            .when(F.size(events) == 0, F.lit("empty"))
            .when(F.size(events) > 1, F.lit("trailing_garbage"))
        )
        if self.source.duplicate_keys == "refuse":
            names = parsed["_names"]
            twice = F.size(F.array_distinct(names)) < F.size(names)
            fault = fault.when(twice, F.lit("duplicate_key"))
        # A bracket too many closes the array that is ours.
        no_object = F.when(F.json_object_keys(text).isNull(), "not_an_object")
        no_object = F.when(starts_well, no_object.otherwise("trailing_garbage"))
        return fault.when(events[0].isNull(), no_object.otherwise("malformed")).when(
            parse["_corrupt"].isNotNull(), F.lit("wrong_type")
        )

    def field(self, parsed: Column, field: Field) -> Column:
        """A member of the object."""
        return parsed["_parse"]["_event"][0][field.name]

    def field_text(self, text: Column, field: Field) -> Column:
        """The member as JSON, a string without its quotes."""
        return F.get_json_object(text, f"$['{field.name}']")


@dataclass(frozen=True)
class Csv:
    """One row per record, its columns in the order of the schema; no header."""

    source: Source

    # A last column that only the end of the row can fill: a missing column, one too many, a second
    # row and an open quote all show in it.
    def parse(self, text: Column) -> Column:
        """The row and its end mark."""
        schema = f"{wire_schema(self.source.fields)}, {END} STRING, _corrupt STRING"
        return F.from_csv(self._row(text), schema, {**self._options, **_CORRUPT}).alias("_parse")

    def fault(self, text: Column, parsed: Column) -> Column:
        """Refuse what is no single row of as many columns as the schema has."""
        return (
            F.when(F.trim(text) == "", F.lit("empty"))
            .when(~F.equal_null(parsed[END], F.lit(END)), F.lit("malformed"))
            .when(parsed["_corrupt"].isNotNull(), F.lit("wrong_type"))
        )

    def field(self, parsed: Column, field: Field) -> Column:
        """A column of the row."""
        return parsed[field.name]

    def field_text(self, text: Column, field: Field) -> Column:
        """The column as it stands in the row."""
        columns = ", ".join(f"{quoted(other.name)} STRING" for other in self.source.fields)
        return F.from_csv(self._row(text), f"{columns}, {END} STRING", self._options)[field.name]

    def _row(self, text: Column) -> Column:
        end = F.lit(f"{self.source.delimiter}{END}")
        return F.concat(F.rtrim(text, F.lit("\r\n")), end)

    @property
    def _options(self) -> Mapping[str, str]:
        return {"sep": self.source.delimiter, "nullValue": self.source.null_value}


_CORRUPT = {"columnNameOfCorruptRecord": "_corrupt"}


@dataclass(frozen=True)
class Plain:
    """The value is the event's only field."""

    source: Source

    def parse(self, text: Column) -> Column:
        """The text itself."""
        return F.struct(text.alias(self.source.fields[0].name))

    def fault(self, text: Column, parsed: Column) -> Column:
        """Any text will do."""
        return F.lit(None).cast("string")

    def field(self, parsed: Column, field: Field) -> Column:
        """The text."""
        return parsed[field.name]

    def field_text(self, text: Column, field: Field) -> Column:
        """The text."""
        return text


def format_of(source: Source) -> Format:
    """The format that a source declares."""
    formats: dict[str, type[Json] | type[Csv] | type[Plain]] = {
        "json": Json,
        "csv": Csv,
        "plain": Plain,
    }
    return formats[source.format](source)


def wire_schema(fields: tuple[Field, ...]) -> str:
    """DDL for the parsers. Instants stay text: see ``instants``."""
    return ", ".join(
        f"{quoted(field.name)} {'STRING' if field.is_instant else field.type}" for field in fields
    )
