"""The schema of a topic from a sample of its records: a CSV file with a header, or JSON lines.

Types are those that ``kafka-metal produce`` gives the columns of the same file. A guess from the
rows that are there: no field comes out as NOT NULL, as rows that are not in the
sample may lack it. Write NOT NULL where it is known.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from kafka_metal_pipeline.ddl import Field, SchemaError, parse_ddl, to_ddl
from kafka_metal_pipeline.kinds import Kind, Unknown, kind_of_json, kind_of_text

# Rows of a sample that are read.
ROWS = 100_000
SAMPLE_KEYS = frozenset({"sample", "no_value"})


class SampleError(ValueError):
    """A sample that gives no schema; the message names file, line and what is wrong."""


def schema_of(file: Path, rows: int = ROWS, null: str = "") -> str:
    """DDL for the fields of a sample, in the order of their first appearance.

    ``*.csv`` and ``*.tsv`` are read as CSV, anything else as one JSON object per line. ``null`` is
    a text that stands for no value in CSV, besides an empty one. Raises SampleError.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            if file.suffix.lower() in (".csv", ".tsv"):
                kinds = _csv_kinds(file, lines, rows, {"", null})
            else:
                kinds = _json_kinds(file, lines, rows)
    except (OSError, UnicodeDecodeError) as error:
        raise SampleError(f"{file}: {error}") from error
    ddl = to_ddl(tuple(Field(name, str(kind), False) for name, kind in kinds.items()))
    try:
        parse_ddl(ddl)
    except SchemaError as error:
        raise SampleError(f"{file}: {error}") from error
    return ddl


def with_schemas(pipelines: Any, base: Path) -> Any:
    """Pipelines by name in which each ``schema: {sample: FILE}`` is the DDL of that file.

    FILE is relative to ``base``; ``{sample: FILE, no_value: NA}`` says what stands for no value in
    it. What is no such mapping is left as it is. Raises SampleError.
    """
    if not isinstance(pipelines, Mapping):
        return pipelines
    return {name: with_schema(body, base) for name, body in pipelines.items()}


def with_schema(pipeline: Any, base: Path) -> Any:
    """One pipeline, as ``with_schemas`` does."""
    source = pipeline.get("source") if isinstance(pipeline, Mapping) else None
    schema = source.get("schema") if isinstance(source, Mapping) else None
    if not isinstance(schema, Mapping) or "sample" not in schema or set(schema) - SAMPLE_KEYS:
        return pipeline
    ddl = schema_of(base / str(schema["sample"]), null=str(schema.get("no_value", "")))
    return {**pipeline, "source": {**source, "schema": ddl}}  # type: ignore[dict-item]


def _csv_kinds(file: Path, lines: Iterable[str], rows: int, nulls: set[str]) -> dict[str, Kind]:
    reader = csv.reader(lines, delimiter="\t" if file.suffix.lower() == ".tsv" else ",")
    header = next(reader, None)
    if not header:
        raise SampleError(f"{file}: line 1: no header")
    if not all(name.strip() for name in header):
        raise SampleError(f"{file}: line 1: column {_first_empty(header)} has no name")
    # Texts are few beside rows in most columns, and each is looked at once.
    columns: dict[str, set[str]] = {name.strip(): set() for name in header}
    if len(columns) < len(header):
        raise SampleError(f"{file}: line 1: a name is there twice")
    seen = tuple(columns.values())
    for row in islice(reader, rows):
        if not row:
            continue
        if len(row) != len(header):
            raise SampleError(
                f"{file}: line {reader.line_num}: {len(row)} columns, the header has {len(header)}"
            )
        for texts, text in zip(seen, row, strict=True):
            texts.add(text)
    return {name: _kind_of_all(texts - nulls) for name, texts in columns.items()}


def _kind_of_all(texts: Iterable[str]) -> Kind:
    kind: Kind = Unknown()
    for text in texts:
        kind = kind.joined(kind_of_text(text))
    return kind


def _json_kinds(file: Path, lines: Iterable[str], rows: int) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for number, value in _json_values(file, islice(lines, rows)):
        if not isinstance(value, dict):
            raise SampleError(f"{file}: line {number}: no JSON object")
        for name, member in value.items():
            kinds[name] = kinds.get(name, Unknown()).joined(kind_of_json(member))
    if not kinds:
        raise SampleError(f"{file}: no JSON object in it")
    return kinds


def _json_values(file: Path, lines: Iterable[str]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            raise SampleError(
                f"{file}: line {number}, column {error.colno}: {error.msg}"
            ) from error


def _first_empty(header: list[str]) -> int:
    return next(number for number, name in enumerate(header, 1) if not name.strip())
