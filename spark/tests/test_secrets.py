"""Kafka credentials of a pipeline: read by its driver, and passed to its executors on request."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

PEM = """-----BEGIN PRIVATE KEY-----
AAAA
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
BBBB
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
CCCC
-----END CERTIFICATE-----
"""


def read(spark: SparkSession, path: Path, key: str) -> str:
    """A value as a Kafka client in the driver resolves it."""
    jvm: Any = spark._jvm
    keys = jvm.java.util.Set.of(key)
    found = jvm.metal.kafka.spark.DriverSecrets().get(str(path), keys)
    return str(found.data().get(key))


def test_a_driver_reads_the_file_each_time(spark: SparkSession, tmp_path: Path):
    file = tmp_path / "pipeline-x.properties"
    for password in ("first", "second"):
        file.write_text(f"password={password}\n")
        assert read(spark, file, "password") == password


def test_key_and_chain_are_parts_of_one_file(spark: SparkSession, tmp_path: Path):
    file = tmp_path / "pipeline-x.pem"
    file.write_text(PEM)
    key, chain = read(spark, file, "key"), read(spark, file, "chain")
    assert ("AAAA" in key, "CERTIFICATE" in key) == (True, False)
    assert ("BBBB" in chain, "CCCC" in chain, "PRIVATE" in chain) == (True, True, False)


@pytest.mark.parametrize("name", ["pipeline-x.properties", "pipeline-x.pem"])
def test_missing_value_error_has_no_secret(spark: SparkSession, tmp_path: Path, name: str):
    file = tmp_path / name
    with pytest.raises(Exception, match="cannot be read"):
        read(spark, file, "password")
    file.write_text("password=hidden\n")
    with pytest.raises(Exception, match=f"{name}: has no key nothing") as refusal:
        read(spark, file, "nothing")
    assert "hidden" not in str(refusal.value)


def test_executors_get_credentials_from_a_second_session(spark: SparkSession):
    jvm: Any = spark._jvm
    for _ in range(2):
        jvm.metal.kafka.spark.DriverSecrets.serve()
