"""Sizes of batches, and measurements of throughput."""

import pytest
from kafka_metal_pipeline.rate import Load, batch_limit, raised_limit, read_throughput


@pytest.mark.parametrize(
    ("load", "planned_s", "expected"),
    [
        # No measurement: the declared limit.
        (None, 1.0, 500_000),
        (Load(0.0, 10**9), 1.0, 500_000),
        # Keeping up: the records of the planned seconds, with headroom.
        (Load(20_000.0, 0), 1.0, 16_000),
        (Load(20_000.0, 16_000), 1.0, 16_000),
        (Load(2_000.0, 0), 10.0, 16_000),
        # Lagging: ten seconds of work, at most the declared limit.
        (Load(20_000.0, 10**6), 1.0, 200_000),
        (Load(200_000.0, 10**9), 1.0, 500_000),
        # A long trigger interval is not limited to ten seconds.
        (Load(1_000.0, 10**6), 60.0, 48_000),
        # A JVM that has just started: no valid measurement.
        (Load(10.0, 5), 1.0, 1_000),
    ],
)
def test_limit_depends_on_lag_and_throughput(
    load: Load | None, planned_s: float, expected: int
) -> None:
    assert batch_limit(load, planned_s, 500_000) == expected


def test_throughput_is_the_median_of_large_batches() -> None:
    batches = [(50, 9.0), (5_000, 2_000.0), (5_000, 50_000.0), (9_000, 20_000.0), (0, 0.0)]
    progress = [{"numInputRows": n, "processedRowsPerSecond": rate} for n, rate in batches]
    assert read_throughput(progress) == 20_000.0
    assert read_throughput(progress[:1]) is None


@pytest.mark.parametrize(
    ("batches", "planned_s", "expected"),
    [
        # Every batch is full, and the query is five times as fast as its limit allows.
        ([(1_200, 600.0)] * 3, 10.0, 6_000),
        # Shares of partitions are rounded.
        ([(1_198, 600.0)] * 3, 10.0, 6_000),
        # Up to the declared limit.
        ([(1_200, 90_000.0)] * 3, 10.0, 500_000),
        # The work of a long trigger interval.
        ([(1_200, 600.0)] * 3, 60.0, 28_800),
        # Fewer records than allowed: it keeps up.
        ([(1_200, 600.0), (300, 600.0), (1_200, 600.0)], 10.0, None),
        # Less than twice as fast.
        ([(1_200, 200.0)] * 3, 10.0, None),
        # Too few batches since the start, or none.
        ([(1_200, 600.0)] * 2, 10.0, None),
        ([], 10.0, None),
        # Only the newest count.
        ([(10, 5.0)] * 9 + [(1_200, 600.0)] * 3, 10.0, 6_000),
    ],
)
def test_limit_of_a_query_that_could_read_more_is_raised(
    batches: list[tuple[int, float]], planned_s: float, expected: int | None
) -> None:
    progress = [{"numInputRows": n, "processedRowsPerSecond": rate} for n, rate in batches]
    assert raised_limit(1_200, progress, planned_s, 500_000) == expected


def test_the_declared_limit_is_never_raised() -> None:
    progress = [{"numInputRows": 500_000, "processedRowsPerSecond": 1e6}] * 3
    assert raised_limit(500_000, progress, 10.0, 500_000) is None
