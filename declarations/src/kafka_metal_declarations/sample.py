"""The schema of a topic, inferred from a sample of its records: a CSV with header, or JSON Lines.

Types equal those of ``kafka-metal produce`` for the same file. No field is NOT NULL, because rows
outside the sample may lack it. Add NOT NULL where it is known.
"""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from kafka_metal_declarations.columns import CsvColumns, add_object
from kafka_metal_declarations.csv_rows import CsvRows
from kafka_metal_declarations.ddl import Field, parse_ddl, to_ddl
from kafka_metal_declarations.file_format import ALLOWED, CSV, find_format, parse_delimiter
from kafka_metal_declarations.json_lines import parse_object, read_lines
from kafka_metal_declarations.kinds import Kind
from kafka_metal_declarations.text_file import Fault

# Default number of rows read from a sample.
ROWS = 100_000
SchemaReader = Callable[[Path, str, str | None], str]
SAMPLE_KEYS = frozenset({"sample", "no_value", "delimiter"})


class SampleError(ValueError):
    """A sample without a valid schema; the message names file, line and problem."""


def infer_schema(file: Path, null: str = "", delimiter: str | None = None, rows: int = ROWS) -> str:
    """Return DDL for the fields of a sample, in order of first appearance; raises SampleError.

    ``null`` is a text that means null in a CSV, in addition to the empty text; ``delimiter``
    separates its columns, by default according to the file name.
    """
    form = find_format(file)
    if form is None:
        raise SampleError(f"{file}: unknown format; allowed are {ALLOWED}")
    try:
        if form.name == CSV:
            kinds = _csv_kinds(CsvRows(file, delimiter or form.delimiter), rows, null)
        else:
            kinds = _json_kinds(file, rows)
        ddl = to_ddl(tuple(Field(name, str(kind), False) for name, kind in kinds.items()))
        parse_ddl(ddl)
    except (OSError, Fault, ValueError) as error:
        raise SampleError(f"{file}: {error}") from error
    return ddl


def with_schemas(pipelines: Any, base: Path) -> Any:
    """Return pipelines by name with each ``schema: {sample: FILE}`` replaced by that file's DDL.

    FILE is relative to ``base``. In ``{sample: FILE, no_value: NA, delimiter: ";"}``, ``no_value``
    means null and ``delimiter`` separates the columns. Other values are returned unchanged.
    Raises SampleError.
    """
    if not isinstance(pipelines, Mapping):
        return pipelines
    return {name: with_schema(body, base) for name, body in pipelines.items()}


def with_schema(pipeline: Any, base: Path, read: SchemaReader = infer_schema) -> Any:
    """Return one pipeline as in ``with_schemas``; ``read`` returns the DDL of a file."""
    source = pipeline.get("source") if isinstance(pipeline, Mapping) else None
    schema = source.get("schema") if isinstance(source, Mapping) else None
    if not isinstance(schema, Mapping) or "sample" not in schema or set(schema) - SAMPLE_KEYS:
        return pipeline
    sample = str(schema["sample"])
    if not sample.isprintable():
        raise SampleError(f"{sample!r}: allowed is a path without invisible characters")
    file, null, delimiter = base / sample, str(schema.get("no_value", "")), None
    if "delimiter" in schema:
        try:
            delimiter = parse_delimiter(schema["delimiter"])
        except ValueError as error:
            raise SampleError(f"{file}: delimiter: {error}") from error
    ddl = read(file, null, delimiter)
    return {**pipeline, "source": {**source, "schema": ddl}}  # type: ignore[dict-item]


def _csv_kinds(file: CsvRows, count: int, null: str) -> dict[str, Kind]:
    header, rows = file.read()
    columns = CsvColumns(header, null)
    for row in islice(rows, count):
        if fault := file.wrong_width(row, header):
            raise fault
        columns.add_row(row.fields)
    return columns.kinds()


def _json_kinds(file: Path, count: int) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    number = 0
    for number, line in islice(read_lines(file), count):
        add_object(kinds, parse_object(number, line))
    if not kinds:
        raise Fault(number + 1, 1, "the end of the file", "a JSON object with a member")
    return kinds
