"""How large a batch may be, and what Prometheus is told."""

from pathlib import Path

import pytest
from kafka_metal_pipeline import metrics
from kafka_metal_pipeline.declaration import parse
from kafka_metal_pipeline.driver import CAPACITY, limits_of
from kafka_metal_pipeline.rate import Load, capacity_of, limit, seconds_to_catch_up
from kafka_metal_pipeline.status import Board
from kafka_metal_pipeline.storage import LocalFiles


@pytest.mark.parametrize(
    ("load", "trigger_s", "expected"),
    [
        # Nothing measured: what is declared.
        (None, 1.0, 500_000),
        (Load(0.0, 10**9), 1.0, 500_000),
        # Keeping up: what one trigger brings, with headroom.
        (Load(20_000.0, 0), 1.0, 16_000),
        (Load(20_000.0, 16_000), 1.0, 16_000),
        (Load(2_000.0, 0), 10.0, 16_000),
        # Lagging: ten seconds of work, and never more than is declared.
        (Load(20_000.0, 10**6), 1.0, 200_000),
        (Load(200_000.0, 10**9), 1.0, 500_000),
        # A long trigger is not cut short by it.
        (Load(1_000.0, 10**6), 60.0, 48_000),
        # A cold JVM says nothing.
        (Load(10.0, 5), 1.0, 1_000),
        # A trigger of none.
        (Load(20_000.0, 0), 0.0, 16_000),
    ],
)
def test_a_batch_is_as_large_as_lag_and_capacity_ask_for(
    load: Load | None, trigger_s: float, expected: int
) -> None:
    assert limit(load, trigger_s, 500_000) == expected


def test_capacity_is_that_of_an_ordinary_batch_of_many_records() -> None:
    batches = [(50, 9.0), (5_000, 2_000.0), (5_000, 50_000.0), (9_000, 20_000.0), (0, 0.0)]
    progress = [{"numInputRows": n, "processedRowsPerSecond": rate} for n, rate in batches]
    assert capacity_of(progress) == 20_000.0
    assert capacity_of(progress[:1]) is None


def test_the_time_to_catch_up_is_known_or_there_is_none() -> None:
    assert seconds_to_catch_up(Load(300.0, 6_000), 100.0) == 30.0
    assert seconds_to_catch_up(Load(100.0, 6_000), 100.0) is None
    assert seconds_to_catch_up(Load(100.0, 0), 500.0) == 0.0


def test_prometheus_reads_every_output_and_nothing_that_is_not_known() -> None:
    board = Board('pay"ments', ["fraud", "invalid"])
    board.set_state("running")
    board.set_output(
        "fraud",
        {"batch": 7, "lag": 12, "rows_per_second": 1.5, "updated": "2026-05-01T12:00:00.500Z"},
    )
    board.add_rows("fraud", 30)
    board.add_rows("fraud", 12)
    board.set_output("invalid", {"exception": "away"})
    lines = metrics.render(board.snapshot()).splitlines()
    start = "kafka_metal_pipeline_"
    fraud = '{pipeline="pay\\"ments",output="fraud"}'
    for expected in (
        f"{start}lag_records{fraud} 12",
        f"{start}records_per_second{fraud} 1.5",
        f"{start}input_records_total{fraud} 42",
        f"{start}last_batch_timestamp_seconds{fraud} 1777636800.5",
        f"{start}output_up{fraud} 1",
        f'{start}output_up{{pipeline="pay\\"ments",output="invalid"}} 0',
        f'{start}state{{pipeline="pay\\"ments",state="running"}} 1',
        f'{start}state{{pipeline="pay\\"ments",state="failed"}} 0',
        f"# TYPE {start}input_records_total counter",
    ):
        assert expected in lines
    assert not [line for line in lines if line.startswith(f"{start}lag") and "invalid" in line]
    assert not [line for line in lines if "watermark" in line]


def test_a_query_starts_with_what_it_could_do_when_it_ran_last(tmp_path: Path) -> None:
    declared = parse(
        "p",
        {
            "source": {"topic": "in", "schema": "id STRING", "max_per_trigger": 50_000},
            "outputs": {
                name: {"sql": "TABLE events", "topic": name} for name in ("new", "slow", "fast")
            },
            "invalid": "bad",
            "checkpoint_root": str(tmp_path),
        },
    )
    LocalFiles().write(f"{tmp_path}/p/slow/{CAPACITY}", "2000")
    LocalFiles().write(f"{tmp_path}/p/fast/{CAPACITY}", "200000")
    limits = {"new": 50_000, "slow": 20_000, "fast": 50_000, "invalid": 50_000}
    assert limits_of(declared, LocalFiles()) == limits
