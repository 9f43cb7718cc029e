"""The ``outputs`` of a declaration: SQL queries, and the topics, archives and tables they write."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from kafka_metal_declarations.ddl import RECORD_COLUMNS, to_ddl
from kafka_metal_declarations.declared_source import read_places
from kafka_metal_declarations.keys import Problem, Section, most_similar_first
from kafka_metal_declarations.model import (
    AT_LEAST_ONCE,
    AVAILABLE_NOW,
    REAL_TIME,
    TRANSACTIONAL,
    Declaration,
    Metadata,
    Output,
    Source,
    Watermark,
)
from kafka_metal_declarations.sql_determinism import is_query
from kafka_metal_declarations.value_patterns import (
    ALLOWED_DURATION,
    ALLOWED_NAME,
    ALLOWED_OUTPUT_TRIGGER,
    ALLOWED_PATH,
    ALLOWED_TABLE,
    ALLOWED_TOPIC,
    DURATION,
    NAME,
    OUTPUT_TRIGGER,
    PATH,
    TABLE,
    TOPIC,
    milliseconds,
)

OUTPUT_KEYS = (
    "sql",
    "topic",
    "key",
    "delivery",
    "metadata",
    "path",
    "partition_by",
    "table",
    "keys",
    "database",
    "mode",
    "watermark",
    "trigger",
    "starting",
)
# Keys that are valid for one kind of target only, by the key that names the target.
OWN_KEYS = {
    "topic": ("key", "delivery", "metadata"),
    "path": ("partition_by",),
    "table": ("keys", "database"),
}

VIEW = "events"
EVERYTHING = f"SELECT * FROM {VIEW}"
ALLOWED_SQL = f"one query, a SELECT from {VIEW}"
# Name of the output in the short form, and of the output that every pipeline has.
SHORT_NAME = "output"
INVALID = "invalid"
# Each batch of an archive writes a file per task: one per second would be 86,400 files a day.
ARCHIVE_TRIGGER = "10 seconds"


def read_outputs(
    top: Section,
    short: Mapping[str, Any],
    source: Source,
    trigger: str,
    may_be_none: bool = False,
) -> tuple[Output, ...]:
    """Return the declared outputs, or the one of the short form (``short``)."""
    if short and "outputs" not in top.values:
        output = Section(top.pipeline, "", short, top.problems)
        return (_read_output(SHORT_NAME, output, source, trigger),)
    outputs = top.section("outputs", required=True)
    if not outputs.values and isinstance(top.values.get("outputs"), Mapping) and not may_be_none:
        top.wrong("outputs", "none", "at least one output, by name")
    read = []
    for name in outputs.names():
        if not re.fullmatch(NAME, name) or name == INVALID:
            outputs.wrong(name, "this name", f"{ALLOWED_NAME}, and not {INVALID}")
        section = outputs.section(name, required=True)
        section.only(OUTPUT_KEYS)
        read.append(_read_output(name, section, source, trigger))
    return tuple(read)


def overlapping_archives(declarations: Mapping[str, Declaration]) -> Iterable[Problem]:
    """Yield a problem per pair of nested archive paths, whose files could not be told apart."""
    archives = [
        (PurePosixPath(output.path), declaration.name, output.name)
        for declaration in declarations.values()
        for output in declaration.outputs
        if output.path
    ]
    for index, (path, pipeline, output) in enumerate(archives):
        for other, owner, name in archives[:index]:
            if path.is_relative_to(other) or other.is_relative_to(path):
                yield Problem(
                    pipeline,
                    f"outputs.{output}.path",
                    str(path),
                    f"a path that does not overlap {other} of {owner}, output {name}",
                )


def _read_output(name: str, output: Section, source: Source, trigger: str) -> Output:
    topic = output.text("topic", ALLOWED_TOPIC, TOPIC)
    path = output.text("path", ALLOWED_PATH, PATH)
    table = output.text("table", ALLOWED_TABLE, TABLE)
    target = _read_target(output)
    modes = ("append",) if target == "path" else ("append", "update")
    mode = output.choice("mode", modes, "append")
    sql = output.text("sql", ALLOWED_SQL)
    if sql is not None and not is_query(sql, VIEW):
        output.wrong("sql", sql, ALLOWED_SQL)
    if sql is None and output.values.get("sql") is None and target != "path":
        output.wrong("sql", "nothing", ALLOWED_SQL)
    if target == "path" and trigger != AVAILABLE_NOW:
        trigger = max(trigger, ARCHIVE_TRIGGER, key=milliseconds)
    keys = output.texts("keys", "a column of the statement")
    if target == "table" and output.values.get("keys") in (None, []):
        output.wrong("keys", "nothing", "the columns of the table's key, such as [id]")
    if source.path and "starting" in output.values:
        output.wrong("starting", "this key", "this key only if the source is topics")
    trigger = output.text("trigger", ALLOWED_OUTPUT_TRIGGER, OUTPUT_TRIGGER) or trigger
    if trigger == REAL_TIME:
        _check_real_time(output, source)
    return Output(
        name=name,
        sql=sql or EVERYTHING,
        topic=topic,
        key=output.text("key", "a SQL expression over the statement's columns"),
        path=path,
        partition_by=_read_partitions(output, source),
        mode=mode,
        watermark=_read_watermark(output, source),
        trigger=trigger,
        delivery=output.choice("delivery", (AT_LEAST_ONCE, TRANSACTIONAL), AT_LEAST_ONCE),
        metadata=_read_metadata(output, source),
        table=table,
        keys=keys,
        database=output.needed("database", "a name of databases") if target == "table" else None,
        starting=read_places(output, "starting", ("earliest", "latest")),
    )


def _check_real_time(output: Section, source: Source) -> None:
    """Check what Spark's real-time mode supports: topics to a topic, append, at least once."""
    if source.path:
        output.wrong("trigger", REAL_TIME, "this trigger only if the source is topics")
    if output.values.get("topic") is None:
        output.wrong("trigger", REAL_TIME, "this trigger only with topic")
    for key, allowed in (("delivery", AT_LEAST_ONCE), ("mode", "append"), ("watermark", None)):
        if output.values.get(key, allowed) != allowed:
            output.wrong(key, str(output.values[key]), f"no such key with trigger {REAL_TIME}")


def _read_target(output: Section) -> str | None:
    """Return the target key of an output: topic, path or table; None unless it has exactly one."""
    present = [key for key in OWN_KEYS if output.values.get(key) is not None]
    if len(present) != 1:
        found = " and ".join(present) or "nothing"
        output.wrong("topic", found, f"one of {', '.join(OWN_KEYS)}")
    for target, keys in OWN_KEYS.items():
        for key in keys if present and target not in present else ():
            if key in output.values:
                output.wrong(key, "this key", f"this key only with {target}")
    return present[0] if len(present) == 1 else None


def _read_metadata(output: Section, source: Source) -> Metadata | None:
    if output.values.get("metadata") is None:
        return None
    metadata = output.section("metadata")
    metadata.only(("application", "schema"))
    return Metadata(
        application=metadata.text("application") or output.pipeline,
        schema=metadata.text("schema") or schema_name(source),
    )


def schema_name(source: Source) -> str:
    """Return a name that changes with the source's schema: its format and a digest."""
    if source.format == "bytes":
        return "bytes"
    digest = hashlib.sha256(to_ddl(source.fields).encode()).hexdigest()
    return f"{source.format}:{digest[:12]}"


def _read_partitions(output: Section, source: Source) -> tuple[str, ...]:
    names = output.texts("partition_by", "a column of the statement", r"[^/=`_][^/=`]*")
    fields = {field.name for field in source.fields}
    if "date" in names and "date" not in fields and source.event_time is None:
        instants = [field.name for field in source.fields if field.is_instant]
        if len(instants) > 1:
            output.wrong(
                "partition_by", "date", f"date only if source.event_time names one of {instants}"
            )
    return names


def _read_watermark(output: Section, source: Source) -> Watermark | None:
    if output.values.get("watermark") is None:
        return None
    watermark = output.section("watermark")
    watermark.only(("column", "delay"))
    column = watermark.needed("column", "a TIMESTAMP field of the events")
    columns = [field.name for field in source.fields if field.is_instant] + [RECORD_COLUMNS[3]]
    if column and source.fields and column not in columns:
        watermark.wrong("column", column, most_similar_first(column, columns))
    return Watermark(column, watermark.needed("delay", ALLOWED_DURATION, DURATION))
