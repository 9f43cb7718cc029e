"""How large a batch may be, and what Prometheus is told."""

import pytest
from kafka_metal_pipeline.rate import Load, capacity_of, limit


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
