import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "spark/src"))
sys.path.insert(0, str(ROOT / "declarations/src"))

from kafka_metal_declarations.declaration import parse  # noqa: E402
from kafka_metal_pipeline import session  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402  after the path of the sources

SMALLEST = {
    "source": {"topic": "in", "schema": "id STRING NOT NULL"},
    "outputs": {"all": {"sql": "SELECT * FROM events", "topic": "out"}},
    "invalid": "bad",
    "resources": {"cores": 2},
    "master": "local[2]",
    "driver_host": "127.0.0.1",
}

Records = Callable[[Sequence[bytes | str | None]], DataFrame]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session as a driver creates it."""
    scratch = tmp_path_factory.mktemp("spark")
    # createDataFrame runs Python in executors: use the interpreter of the tests.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    declared = parse(
        "tests",
        SMALLEST
        | {
            "spark_options": {
                "spark.local.dir": str(scratch),
                "spark.sql.warehouse.dir": f"file:{scratch}/warehouse",
            }
        },
    )
    found = session.connect(declared)
    found.sparkContext.setLogLevel("ERROR")
    yield found
    found.stop()


@pytest.fixture
def records(spark: SparkSession) -> Records:
    """Records of topic ``in``, partition 0, from offset 100 on, one per second since noon."""

    def make(values: Sequence[bytes | str | None]) -> DataFrame:
        rows = [
            (b"key", value.encode() if isinstance(value, str) else value, 100 + place)
            for place, value in enumerate(values)
        ]
        return spark.createDataFrame(rows, "key BINARY, value BINARY, offset LONG").selectExpr(
            "key",
            "value",
            "'in' AS topic",
            "0 AS partition",
            "offset",
            "timestamp'2026-05-01 12:00:00' + make_interval(0, 0, 0, 0, 0, 0, offset - 100)"
            " AS timestamp",
            "array(struct('trace' AS key, encode(string(offset), 'UTF-8') AS value)) AS headers",
        )

    return make


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait until a condition is true; fail after 30 s."""

    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 30
        while not holds():
            assert time.monotonic() < deadline, "it never came to hold"
            time.sleep(0.1)

    return wait
