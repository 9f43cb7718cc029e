"""A pipeline with a schema inferred from a file accepts every record of that file."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_client.produce import Options, open_reader, validate
from kafka_metal_declarations.ddl import parse_ddl
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.sample import infer_schema
from kafka_metal_pipeline.transforms import accepted_events, validate_records
from kafka_metal_pipeline.transforms import parse as parse_records
from pyspark.sql import DataFrame

sys.path.insert(0, str(Path(__file__).parents[2] / "declarations/tests"))

from sample_files import VALID, generated

Records = Callable[[Sequence[bytes | str | None]], DataFrame]
FILES: dict[str, Any] = {
    **{name: each[:2] for name, each in VALID.items() if name != "the maximum depth"},
    **{f"generated {seed}": generated(seed) for seed in range(100)},
}


@pytest.mark.parametrize("name", FILES)
def test_each_record_of_a_file_is_accepted(records: Records, tmp_path: Path, name: str) -> None:
    file, content = FILES[name]
    path = tmp_path / file
    path.write_bytes(content)
    reader = open_reader(path, Options())
    columns, schema = validate(path, reader).columns, infer_schema(path)
    values = [record.value for record in reader.records()]
    source = {"topic": "in", "schema": schema}
    outputs = {"all": {"sql": "TABLE events", "topic": "out"}}
    declared = parse("p", {"source": source, "outputs": outputs, "invalid": "bad"})
    parsed = parse_records(records(values), declared.source)
    good = accepted_events(validate_records(parsed, declared.source, {}), declared.source)
    assert {field.name: field.type for field in parse_ddl(schema)} == columns
    assert good.count() == len(values)
