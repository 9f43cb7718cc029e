"""Avro in the wire format of a schema registry."""

import json
from dataclasses import dataclass
from functools import reduce

from kafka_metal_declarations.ddl import Field, quote_name
from kafka_metal_declarations.model import Source
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro

from kafka_metal_pipeline import wire_format
from kafka_metal_pipeline.nesting import wire_type


@dataclass(frozen=True)
class Avro:
    """Values of any schema that the registry had when it was read."""

    source: Source

    is_text = False

    def parse(self, value: Column) -> Column:
        """Read the value: its framing, whether its schema is known, the record."""
        return self._parse(value)

    def shape(self, parsed: Column) -> tuple[Column, dict[str, Column]]:
        """Return the event and marks: UTF-8, framed, schema known, read, wrong type."""
        outcome = parsed["_outcome"]
        marks = {
            "_is_text": F.coalesce(outcome["_is_text"], F.lit(True)),
            "_framed": parsed["_framed"],
            "_known": parsed["_known"],
            "_read": outcome.isNotNull(),
            "_wrong_type": F.coalesce(outcome["_wrong_type"], F.lit(False)),
        }
        return outcome["_event"], marks

    def whole(self) -> Column:
        """Whether the schema is known, and every field has its declared type."""
        return F.expr("_framed AND _known AND _read AND NOT _wrong_type")

    def fault(self, text: Column) -> Column:
        """Return the reason: empty, not Avro, unknown schema, or wrong type."""
        return (
            F.when(F.length("_raw") == 0, "empty")
            .when(~F.col("_framed"), "malformed")
            .when(~F.col("_known"), "unknown_schema")
            .when(~F.col("_read"), "malformed")
            .when(F.col("_wrong_type"), "wrong_type")
        )

    def field_text(self, text: Column, field: Field) -> Column:
        """Return the field as text, before the cast to its declared type."""
        return self._parse(F.col("_raw"), as_text=True)["_outcome"]["_event"][field.name]

    def _parse(self, value: Column, as_text: bool = False) -> Column:
        framed, number = wire_format.is_framed(value), wire_format.writer_of(value)
        body = wire_format.body(value)
        found = [
            self._read(schema, F.when(framed & (number == writer), body), as_text)
            for writer, schema in self.source.writers
        ]
        known = wire_format.is_known(self.source, framed, number)
        read = F.coalesce(*found, F.lit(None).cast(f"STRUCT<{self._type(as_text)}>"))
        return F.struct(
            framed.alias("_framed"), known.alias("_known"), read.alias("_outcome")
        )  # fmt: skip

    def _read(self, schema: str, body: Column, as_text: bool) -> Column:
        """Return event, wrong-type mark and UTF-8 mark of a record; null if it cannot be read.

        ``from_avro`` returns all fields null for a value that is not a record of the schema.
        """
        names = [field["name"] for field in json.loads(schema)["fields"]]

        def shaped(record: Column) -> Column:
            is_read = reduce(Column.__or__, [record[name].isNotNull() for name in names])
            values, wrong_types, texts = [], [F.lit(False)], [F.lit(True)]
            for field in self.source.fields:
                value = record[field.name] if field.name in names else F.lit(None)
                cast = value.try_cast("string" if as_text else wire_type(field.type))
                values.append(cast.alias(field.name))
                wrong_types.append(value.isNotNull() & cast.isNull())
                if wire_type(field.type) == "STRING":
                    # Avro does not validate UTF-8; invalid bytes would be replaced in outputs.
                    texts.append(cast.isNull() | F.is_valid_utf8(cast.cast("string")))
            wrong_type = reduce(Column.__or__, wrong_types).alias("_wrong_type")
            is_text = reduce(Column.__and__, texts).alias("_is_text")
            return F.when(is_read, F.struct(F.struct(*values).alias("_event"), wrong_type, is_text))

        # A lambda's variable is computed once; otherwise from_avro would run once per field.
        return F.transform(F.array(from_avro(body, schema, {"mode": "PERMISSIVE"})), shaped)[0]

    def _type(self, as_text: bool) -> str:
        members = ", ".join(
            f"{quote_name(field.name)}: {'STRING' if as_text else wire_type(field.type)}"
            for field in self.source.fields
        )
        return f"_event: STRUCT<{members}>, _wrong_type: BOOLEAN, _is_text: BOOLEAN"
