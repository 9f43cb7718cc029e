"""The ``source`` of a declaration: topics or their archive, and the schema of the records."""

import re
from collections.abc import Mapping
from typing import TypeGuard

from kafka_metal_declarations.ddl import HEADERS, Field, SchemaError, parse_ddl
from kafka_metal_declarations.keys import HIGHEST_NUMBER, Section, most_similar_first
from kafka_metal_declarations.model import Registry, RegistrySite, Source, Starting
from kafka_metal_declarations.printable_values import format_value
from kafka_metal_declarations.value_patterns import (
    ALLOWED_PATH,
    ALLOWED_PLACES,
    ALLOWED_TOPIC,
    ALLOWED_URL,
    HIGHEST_PARTITION,
    PATH,
    TOPIC,
    URL,
)

SOURCE_KEYS = (
    "topic",
    "topics",
    "path",
    "format",
    "schema",
    "registry",
    "event_time",
    "starting",
    "ending",
    "max_per_trigger",
    "delimiter",
    "null_value",
    "duplicate_keys",
    "on_data_loss",
)
CSV_KEYS = ("delimiter", "null_value")
FORMATS = ("json", "csv", "plain", "avro", "json_schema", "bytes")
# Values begin with the id of their schema, which a registry has.
REGISTERED = ("avro", "json_schema")
JSON_FORMATS = ("json", "json_schema")
# Limits the first batches after a long stop.
MAX_PER_TRIGGER = 500_000
PLAIN_SCHEMA = "value STRING NOT NULL"
# The schema of unparsed records: for archives, copies and replays.
BYTES_SCHEMA = f"key BINARY, value BINARY, headers {HEADERS}"


def read_source(source: Section) -> Source:
    """Return the source as declared; mistakes are added to the section's problems."""
    source.only(SOURCE_KEYS)
    form = source.choice("format", FORMATS, "json")
    for key in CSV_KEYS if form != "csv" else ():
        if key in source.values:
            source.wrong(key, f"format {form}", "this key only with format csv")
    if form not in JSON_FORMATS and "duplicate_keys" in source.values:
        allowed = f"this key only with format {' or '.join(JSON_FORMATS)}"
        source.wrong("duplicate_keys", f"format {form}", allowed)
    if form not in REGISTERED and "registry" in source.values:
        allowed = f"this key only with format {' or '.join(REGISTERED)}"
        source.wrong("registry", f"format {form}", allowed)
    fields = _read_schema(source, form)
    path = source.text("path", ALLOWED_PATH, PATH)
    for key in ("starting", "ending", "on_data_loss") if path else ():
        if key in source.values:
            source.wrong(key, "this key", "this key only without path: an archive is read whole")
    return Source(
        topics=_read_topics(source),
        path=path,
        format=form,
        fields=fields,
        event_time=_read_event_time(source, fields),
        starting=read_places(source, "starting", ("earliest", "latest")) or "earliest",
        ending=read_places(source, "ending", ("latest",)) or "latest",
        max_per_trigger=source.whole("max_per_trigger") or MAX_PER_TRIGGER,
        delimiter=source.text("delimiter", "one character, not a quote", r"[^\"\r\n]") or ",",
        null_value=source.text("null_value", "text", r".*") or "",
        duplicate_keys=source.choice("duplicate_keys", ("refuse", "last"), "refuse"),
        on_data_loss=source.choice("on_data_loss", ("fail", "continue"), "fail"),
        registry=_read_registry(source, form) if form in REGISTERED else None,
    )


def read_places(section: Section, key: str, names: tuple[str, ...]) -> Starting | None:
    """Return one of ``names``, or offsets by topic and partition; None if the key is absent."""
    value = section.values.get(key)
    if not isinstance(value, Mapping):
        return section.choice(key, names, names[0]) if value is not None else None
    places: dict[str, dict[str, int]] = {}
    for topic, partitions in value.items():
        right = isinstance(partitions, Mapping) and all(
            _is_partition(number) and type(offset) is int and 0 <= offset <= HIGHEST_NUMBER
            for number, offset in partitions.items()
        )
        named = _is_text_or_number(topic) and re.fullmatch(TOPIC, format_value(topic))
        if not right or not partitions or not named:
            section.wrong(key, f"{format_value(topic)}: {format_value(partitions)}", ALLOWED_PLACES)
            return None
        places[str(topic)] = {str(number): offset for number, offset in partitions.items()}
    if not places:
        section.wrong(key, "{}", ALLOWED_PLACES)
    return places


def _is_partition(value: object) -> bool:
    """Whether a key is a partition number, as text or as number."""
    return (
        _is_text_or_number(value)
        and re.fullmatch(r"0*[0-9]{1,10}", format_value(value)) is not None
        and int(format_value(value)[-10:]) <= HIGHEST_PARTITION
    )


def _is_text_or_number(value: object) -> TypeGuard[str | int]:
    """Whether a key may be written without quotes in YAML; ``yes`` is a boolean there."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _read_topics(source: Section) -> tuple[str, ...]:
    """Return the topic of ``topic``, or those of ``topics``."""
    if "topics" not in source.values:
        return (source.needed("topic", ALLOWED_TOPIC, TOPIC),)
    if "topic" in source.values:
        source.wrong("topics", "topic and topics", "one of them")
    topics = source.texts("topics", ALLOWED_TOPIC, TOPIC)
    if not topics and source.values["topics"] in ([], None):
        source.wrong("topics", "none", "at least one topic")
    if twice := sorted({topic for topic in topics if topics.count(topic) > 1}):
        source.wrong("topics", f"{', '.join(twice)} more than once", "each topic once")
    return topics or ("",)


def _read_registry(source: Section, form: str) -> Registry:
    """Return the declared registry; without an address, the site's is added later."""
    registry = source.section("registry")
    registry.only(("url", "urls", "subject"))
    urls = registry.texts("urls", ALLOWED_URL, URL)
    if url := registry.text("url", ALLOWED_URL, URL):
        if "urls" in registry.values:
            registry.wrong("urls", "url and urls", "one of them")
        urls = (url,)
    if registry.values.get("urls") == []:
        registry.wrong("urls", "none", "at least one address")
    topics = source.values.get("topic"), source.values.get("topics")
    if topics[1] is not None:
        source.wrong("topics", "more than one", f"one topic with format {form}: it has one subject")
    subject = registry.text("subject", "a subject") or f"{topics[0]}-value"
    return Registry(subject, RegistrySite(tuple(url.rstrip("/") for url in urls)) if urls else None)


def _read_schema(source: Section, form: str) -> tuple[Field, ...]:
    schema = source.values.get("schema")
    if schema is None and form == "plain":
        schema = PLAIN_SCHEMA
    if form == "bytes":
        if schema is not None:
            source.wrong("schema", "a schema", "none with format bytes: records are not parsed")
        return parse_ddl(BYTES_SCHEMA)
    if isinstance(schema, Mapping) and "sample" in schema:
        source.wrong("schema.sample", "a sample", "the DDL inferred from it")
        return ()
    if not isinstance(schema, str) or not schema.strip():
        source.wrong(
            "schema",
            "nothing" if schema is None else format_value(schema),
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
    if form in ("csv", "avro") and nested:
        found = f"nested fields {', '.join(nested)}"
        source.wrong("schema", found, f"flat fields with format {form}")
    return fields


def _read_event_time(source: Section, fields: tuple[Field, ...]) -> str | None:
    """Return the named field, or the only TIMESTAMP field if none is named."""
    instants = [field.name for field in fields if field.is_instant]
    named = source.text("event_time", "the name of a TIMESTAMP field")
    if named is not None and named not in instants:
        allowed = most_similar_first(named, instants) or "no TIMESTAMP field in schema"
        source.wrong("event_time", named, allowed)
    if named is None and len(instants) == 1:
        return instants[0]
    return named
