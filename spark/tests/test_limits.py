"""Limits of queries that lag and could read more are raised, together where they share a read."""

from functools import partial
from types import SimpleNamespace
from typing import Any

from kafka_metal_pipeline.limits import Limits
from kafka_metal_pipeline.reading import common_limits

NAMES = ("alone", "shared", "invalid", "well", "real-time")
SHARED = ("shared", "invalid")


def query(records: int, throughput: float) -> Any:
    """Return a query with three batches."""
    batch = {"numInputRows": records, "processedRowsPerSecond": throughput}
    return SimpleNamespace(recentProgress=[batch] * 3)


def raised(queries: dict[str, Any], values: dict[str, int]) -> tuple[dict[str, Any], list[str]]:
    """Raise the limits ``values``; return the queries to restart, and the outputs that were set."""
    changed = []

    def set_limit(name: str, limit: int) -> bool:
        assert values[name] == limit
        changed.append(name)
        return name in SHARED

    planned = dict.fromkeys(NAMES, 10.0)
    common = partial(common_limits, shared=SHARED, planned=planned)
    limits = Limits(values, planned, 500_000, common, set_limit)
    return limits.raise_limits(queries), changed


def test_only_queries_with_a_limit_that_they_reach_are_restarted() -> None:
    queries = {name: query(1_200, 600.0) for name in NAMES if name != "well"}
    queries["well"] = query(300, 600.0)
    values = dict.fromkeys(("alone", "shared", "invalid", "well"), 1_200)

    restarts, changed = raised(queries, values)

    assert restarts == {"alone": queries["alone"]}
    assert sorted(changed) == ["alone", "invalid", "shared"]
    assert values == {"alone": 6_000, "shared": 6_000, "invalid": 6_000, "well": 1_200}


def test_outputs_that_share_a_read_are_raised_to_the_same_limit() -> None:
    queries = {"shared": query(1_200, 600.0), "invalid": query(1_200, 590.0)}
    values = dict.fromkeys(SHARED, 1_200)

    restarts, _ = raised(queries, values)

    assert not restarts
    # Of the slower one: with different limits, each would read the records for itself.
    assert values == dict.fromkeys(SHARED, 5_900)


def test_a_limit_is_never_lowered() -> None:
    queries = {"shared": query(1_200, 600.0), "invalid": query(20_000, 100.0)}
    values = {"shared": 1_200, "invalid": 20_000}

    raised(queries, values)

    assert values == {"shared": 6_000, "invalid": 20_000}
