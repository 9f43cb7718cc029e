"""The file of a sample is read once in a run, for all renderings of a declaration."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline_checks import pipeline_statements
from ansible_collections.metal.kafka.plugins.plugin_utils._site import samples
from kafka_metal_declarations.sample import SampleError, infer_schema


@pytest.fixture
def reads(monkeypatch, tmp_path):
    """Record the files that are read, in a separate run."""
    found = []

    def counted(file, null, delimiter):
        found.append(file.name)
        return infer_schema(file, null, delimiter)

    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(samples.constants, "DEFAULT_LOCAL_TMP", str(tmp_path / "run"))
    monkeypatch.setattr(samples, "infer_schema", counted)
    return found


def schema(**more):
    sample = {"sample": "in.csv", **more}
    found = samples.with_sample_schema({"source": {"topic": "in", "schema": sample}})
    return found["source"]["schema"]


def test_a_sample_is_read_once_until_it_changes(reads, tmp_path):
    file = tmp_path / "in.csv"
    file.write_text("n\n1\n")
    declared = {"source": {"topic": "in", "schema": {"sample": "in.csv"}}}

    assert [schema(), schema()] == ["`n` BIGINT"] * 2
    assert "`n` BIGINT" in pipeline_statements({"a": declared}, [])
    assert reads == ["in.csv"]

    file.write_text("n\nten\n")
    assert schema() == "`n` STRING"


def test_reading_options_are_part_of_the_cache_key(reads, tmp_path):
    (tmp_path / "in.csv").write_text("n;m\n1;NA\n")

    assert schema(delimiter=";") == "`n` BIGINT, `m` STRING"
    assert schema(delimiter=";", no_value="1") == "`n` STRING, `m` STRING"


def test_missing_sample_is_not_cached(reads, tmp_path):
    with pytest.raises(SampleError, match=r"in\.csv"):
        schema()
    (tmp_path / "in.csv").write_text("n\n1\n")

    assert schema() == "`n` BIGINT"
