"""Records of ``produce`` match the schema inferred from the same file: names, types, values."""

import json
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from kafka_metal_client.errors import ClientError
from kafka_metal_client.produce import Options, open_reader, validate
from kafka_metal_declarations.ddl import inner_types, parse_ddl, type_base
from kafka_metal_declarations.sample import SampleError, infer_schema

sys.path.insert(0, str(Path(__file__).parents[2] / "declarations/tests"))

from sample_files import BROKEN, VALID, generated


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def produced(path):
    """Types by column, and the values of the records with numbers as in the file."""
    reader = open_reader(path, Options())
    check = validate(path, reader)
    values = [
        json.loads(record.value, parse_int=Decimal, parse_float=Decimal)
        for record in reader.records()
    ]
    assert check.records == len(values)
    return check.columns, values


def schema(path):
    return {field.name: field.type for field in parse_ddl(infer_schema(path))}


def fits(kind, value):
    """Whether a pipeline reads a record's value as this type without changing it."""
    base = type_base(kind)
    if value is None or base == "STRING":
        return True
    if base == "ARRAY":
        ((_, inner),) = inner_types(kind)
        return isinstance(value, list) and all(fits(inner, each) for each in value)
    if base == "STRUCT":
        inner = dict(inner_types(kind))
        return isinstance(value, dict) and all(fits(inner[name], value[name]) for name in value)
    if base in ("DATE", "TIMESTAMP"):
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    if base == "BOOLEAN":
        return isinstance(value, bool)
    if not isinstance(value, Decimal):
        return False
    if base == "DOUBLE":
        is_whole = value == value.to_integral_value() and "E" not in str(value)
        return abs(value) < Decimal("1.8e308") and (not is_whole or Decimal(float(value)) == value)
    digits = str(abs(value))
    is_whole = digits.isdigit()
    return is_whole and (abs(value) < 2**63 if base == "BIGINT" else len(digits) <= 38)


@pytest.mark.parametrize("name", VALID)
def test_valid_file_has_equal_columns(tmp_path, name):
    file, content, ddl, count = VALID[name]
    columns = {field.name: field.type for field in parse_ddl(ddl)}
    path = write(tmp_path, file, content)
    found, values = produced(path)
    assert (found, schema(path), len(values)) == (columns, columns, count)
    assert all(fits(columns[each], value[each]) for value in values for each in value)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_refused_with_equal_message(tmp_path, name):
    file, content, place = BROKEN[name]
    path = write(tmp_path, file, content)
    with pytest.raises(SampleError) as sampled:
        infer_schema(path)
    with pytest.raises(ClientError) as refused:
        validate(path, open_reader(path, Options()))
    assert str(sampled.value).startswith(f"{path}: {place}: found")
    assert str(refused.value).splitlines()[0] == str(sampled.value)


@pytest.mark.parametrize("seed", range(100))
def test_generated_file_has_equal_columns(tmp_path, seed):
    path = write(tmp_path, *generated(seed))
    columns, values = produced(path)
    assert columns == schema(path)
    wrong = [
        (name, columns[name], value[name])
        for value in values
        for name in value
        if not fits(columns[name], value[name])
    ]
    assert wrong == []
