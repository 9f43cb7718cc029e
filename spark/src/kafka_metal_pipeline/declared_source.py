"""The ``source`` of a declaration: a topic, and what its records hold."""

from collections.abc import Mapping

from kafka_metal_pipeline.ddl import Field, SchemaError, parse_ddl
from kafka_metal_pipeline.keys import Section
from kafka_metal_pipeline.model import Source
from kafka_metal_pipeline.words import ALLOWED_TOPIC, TOPIC

SOURCE_KEYS = (
    "topic",
    "format",
    "schema",
    "event_time",
    "starting",
    "max_per_trigger",
    "delimiter",
    "null_value",
    "duplicate_keys",
    "on_data_loss",
)
CSV_KEYS = ("delimiter", "null_value")
FORMATS = ("json", "csv", "plain")
# After a long stop the first batches are as long as this, and not as long as the stop.
MAX_PER_TRIGGER = 500_000
PLAIN_SCHEMA = "value STRING NOT NULL"


def read_source(source: Section) -> Source:
    """The source as declared; mistakes go into the section's problems."""
    source.only(SOURCE_KEYS)
    form = source.choice("format", FORMATS, "json")
    for key in CSV_KEYS if form != "csv" else ():
        if key in source.values:
            source.wrong(key, f"format {form}", "this key only with format csv")
    if form != "json" and "duplicate_keys" in source.values:
        source.wrong("duplicate_keys", f"format {form}", "this key only with format json")
    fields = _read_schema(source, form)
    return Source(
        topic=source.needed("topic", ALLOWED_TOPIC, TOPIC),
        format=form,
        fields=fields,
        event_time=_read_event_time(source, fields),
        starting=source.choice("starting", ("earliest", "latest"), "earliest"),
        max_per_trigger=source.whole("max_per_trigger") or MAX_PER_TRIGGER,
        delimiter=source.text("delimiter", "one character, not a quote", r"[^\"\r\n]") or ",",
        null_value=source.text("null_value", "text", r".*") or "",
        duplicate_keys=source.choice("duplicate_keys", ("refuse", "last"), "refuse"),
        on_data_loss=source.choice("on_data_loss", ("fail", "continue"), "fail"),
    )


def _read_schema(source: Section, form: str) -> tuple[Field, ...]:
    schema = source.values.get("schema")
    if schema is None and form == "plain":
        schema = PLAIN_SCHEMA
    if isinstance(schema, Mapping) and "sample" in schema:
        source.wrong("schema.sample", "a sample", "the DDL inferred from it, at this point")
        return ()
    if not isinstance(schema, str) or not schema.strip():
        source.wrong(
            "schema",
            "nothing" if schema is None else repr(schema),
            "DDL as 'id STRING NOT NULL, amount DOUBLE', or {sample: FILE}",
        )
        return ()
    try:
        fields = parse_ddl(schema)
    except SchemaError as error:
        source.wrong("schema", str(error), "DDL as 'id STRING NOT NULL, amount DOUBLE'")
        return ()
    if form == "plain" and (len(fields) != 1 or fields[0].base != "STRING"):
        source.wrong("schema", schema, "one STRING field with format plain")
    nested = [field.name for field in fields if field.base in ("ARRAY", "MAP", "STRUCT")]
    if form == "csv" and nested:
        source.wrong("schema", f"nested fields {', '.join(nested)}", "flat fields with format csv")
    return fields


def _read_event_time(source: Section, fields: tuple[Field, ...]) -> str | None:
    """The field named, or the only one there is that could be meant."""
    instants = [field.name for field in fields if field.is_instant]
    named = source.text("event_time", "the name of a TIMESTAMP field")
    if named is not None and named not in instants:
        source.wrong("event_time", named, ", ".join(instants) or "no TIMESTAMP field in schema")
    if named is None and len(instants) == 1:
        return instants[0]
    return named
