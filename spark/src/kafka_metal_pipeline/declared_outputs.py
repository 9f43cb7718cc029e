"""The ``outputs`` of a declaration: statements, and the topics and archives they fill."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from kafka_metal_pipeline.ddl import RECORD_COLUMNS
from kafka_metal_pipeline.keys import Problem, Section
from kafka_metal_pipeline.model import AVAILABLE_NOW, Declaration, Output, Source, Watermark
from kafka_metal_pipeline.words import (
    ALLOWED_DURATION,
    ALLOWED_NAME,
    ALLOWED_PATH,
    ALLOWED_TOPIC,
    ALLOWED_TRIGGER,
    DURATION,
    NAME,
    PATH,
    TOPIC,
    TRIGGER,
    milliseconds,
)

OUTPUT_KEYS = ("sql", "topic", "key", "path", "partition_by", "mode", "watermark", "trigger")
TOPIC_ONLY = ("topic", "key")
ARCHIVE_ONLY = ("path", "partition_by")

EVERYTHING = "SELECT * FROM events"
# The output of the short form, and the one that every pipeline has.
SHORT_NAME = "output"
INVALID = "invalid"
# A batch of an archive is a file per task: one each second would be 86,400 small files a day.
ARCHIVE_TRIGGER = "10 seconds"


def read_outputs(
    top: Section, short: Mapping[str, Any], source: Source, trigger: str
) -> tuple[Output, ...]:
    """Outputs as declared, or the one whose keys stand at the top (``short``)."""
    if short and "outputs" not in top.values:
        output = Section(top.pipeline, "", short, top.problems)
        return (_read_output(SHORT_NAME, output, source, trigger),)
    outputs = top.section("outputs", required=True)
    if not outputs.values and isinstance(top.values.get("outputs"), Mapping):
        top.wrong("outputs", "none", "at least one output, by name")
    read = []
    for name in map(str, outputs.values):
        if not re.fullmatch(NAME, name) or name == INVALID:
            outputs.wrong(name, "this name", f"{ALLOWED_NAME}, and not {INVALID}")
        section = outputs.section(name, required=True)
        section.only(OUTPUT_KEYS)
        read.append(_read_output(name, section, source, trigger))
    return tuple(read)


def overlapping_archives(declarations: Mapping[str, Declaration]) -> Iterable[Problem]:
    """Archives below one another, in any pipelines: one would read the other's files as its own."""
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
                    f"a path apart from {other} of {owner}, output {name}",
                )


def _read_output(name: str, output: Section, source: Source, trigger: str) -> Output:
    topic = output.text("topic", ALLOWED_TOPIC, TOPIC)
    path = output.text("path", ALLOWED_PATH, PATH)
    given = [key for key in ("topic", "path") if output.values.get(key) is not None]
    if len(given) != 1:
        output.wrong("topic", " and ".join(given) or "nothing", "one of topic and path")
    is_archive = given == ["path"]
    for key in TOPIC_ONLY if is_archive else ARCHIVE_ONLY:
        if key in output.values and key not in given:
            output.wrong(key, "this key", f"it only with {'topic' if is_archive else 'path'}")
    mode = output.choice("mode", ("append",) if is_archive else ("append", "update"), "append")
    if is_archive:
        sql = output.text("sql", "a SELECT from events", r"(?is).*\bevents\b.*") or EVERYTHING
        if trigger != AVAILABLE_NOW:
            trigger = max(trigger, ARCHIVE_TRIGGER, key=milliseconds)
    else:
        sql = output.needed("sql", "a SELECT from events", r"(?is).*\bevents\b.*")
    return Output(
        name=name,
        sql=sql,
        topic=topic,
        key=output.text("key", "a SQL expression over the statement's columns"),
        path=path,
        partition_by=_read_partitions(output, source),
        mode=mode,
        watermark=_read_watermark(output, source),
        trigger=output.text("trigger", ALLOWED_TRIGGER, TRIGGER) or trigger,
    )


def _read_partitions(output: Section, source: Source) -> tuple[str, ...]:
    names = output.texts("partition_by", "a column of the statement", r"[^/=`]+")
    fields = {field.name for field in source.fields}
    if "date" in names and "date" not in fields and source.event_time is None:
        instants = [field.name for field in source.fields if field.is_instant]
        if len(instants) > 1:
            output.wrong(
                "partition_by", "date", f"it once source.event_time names one of {instants}"
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
        watermark.wrong("column", column, ", ".join(columns))
    return Watermark(column, watermark.needed("delay", ALLOWED_DURATION, DURATION))
