"""What the exporter found, as series. Those of a group or topic that is gone are gone with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from .lag import Lag
from .operation import Operation
from .overview import Overview

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Found:
    """What was seen last. ``members`` by group and topic, ``certificates`` by endpoint."""

    read: float = 0.0
    lags: tuple[Lag, ...] = ()
    members: Mapping[tuple[str, str], int] = field(default_factory=dict)
    certificates: Mapping[str, float] = field(default_factory=dict)
    # Connections that may be open, by broker and listener.
    limits: Mapping[tuple[int, str], int] = field(default_factory=dict)
    # The answer of each pipeline's driver, None for one that did not answer.
    pipelines: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    # The same of each master of Spark; and how many workers there are to be.
    masters: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    workers: int = 0
    # Seconds since the container engine of a machine ran a health check.
    engines: Mapping[str, float] = field(default_factory=dict)
    overview: Overview = field(default_factory=Overview)
    operation: Operation = field(default_factory=Operation)


def family(
    name: str, meaning: str, labels: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], float]]
) -> GaugeMetricFamily:
    """A family of series."""
    result = GaugeMetricFamily(f"kafka_metal_{name}", meaning, labels=labels)
    for values, number in rows:
        result.add_metric(values, number)
    return result


def of_groups(found: Found) -> Iterator[GaugeMetricFamily]:
    """Series of consumer groups."""
    where = ("group", "topic", "partition")
    keys = [(lag, (lag.group, lag.topic, str(lag.partition))) for lag in found.lags]
    yield family("lag_read_time_seconds", "When offsets were last read", (), [((), found.read)])
    yield family(
        "group_lag_records",
        "Records of a partition that a group has not committed",
        where,
        [(key, lag.records) for lag, key in keys],
    )
    yield family(
        "group_lag_seconds",
        "For how long the first of them has been waiting",
        where,
        [(key, lag.seconds) for lag, key in keys],
    )
    yield family(
        "group_offset", "Offset a group committed", where, [(key, lag.offset) for lag, key in keys]
    )
    yield family(
        "group_members",
        "Members of a group that reads a topic",
        ("group", "topic"),
        sorted(found.members.items()),
    )


def moment(text: str | None) -> float | None:
    """Seconds since 1970 of an ISO date; None for none."""
    return datetime.fromisoformat(text).timestamp() if text else None


def of_pipelines(found: Found) -> Iterator[GaugeMetricFamily]:
    """Series of pipelines, from the state that their drivers tell."""
    known = sorted(found.pipelines.items())
    yield family(
        "pipeline_reachable",
        "Whether the driver of a pipeline answers",
        ("pipeline",),
        [((name,), float(state is not None)) for name, state in known],
    )
    told = [(name, state) for name, state in known if state is not None]
    yield family(
        "pipeline_running",
        "Whether every query of a pipeline runs",
        ("pipeline",),
        [((name,), float(state["state"] == "running")) for name, state in told],
    )
    outputs = [
        ((name, output), progress)
        for name, state in told
        for output, progress in sorted(state["outputs"].items())
    ]
    for series, key, meaning in (
        ("lag_records", "lag", "Records of the source that an output has not processed"),
        ("batch_seconds", "batch_seconds", "Time of an output's last batch"),
        ("records_per_second", "rows_per_second", "Pace of an output's last batch"),
    ):
        yield family(
            f"pipeline_{series}",
            meaning,
            ("pipeline", "output"),
            [(where, one[key]) for where, one in outputs if one.get(key) is not None],
        )
    updated = [(where, moment(one.get("updated"))) for where, one in outputs]
    yield family(
        "pipeline_updated_time_seconds",
        "When an output made its last batch",
        ("pipeline", "output"),
        [(where, when) for where, when in updated if when is not None],
    )


def of_spark(found: Found) -> Iterator[GaugeMetricFamily]:
    """Series of a Spark cluster: what its masters are, and what the one that leads tells."""
    known = sorted(found.masters.items())
    yield family(
        "spark_master_reachable",
        "Whether a master of Spark answers",
        ("master",),
        [((name,), float(state is not None)) for name, state in known],
    )
    yield family(
        "spark_master_leads",
        "Whether a master of Spark leads; 0 of one that does not answer",
        ("master",),
        [((name,), float((state or {}).get("status") == "ALIVE")) for name, state in known],
    )
    workers = "Workers that the inventory declares"
    yield family("spark_workers_declared", workers, (), [((), found.workers)] if known else [])
    leading = [state for _, state in known if state and state["status"] == "ALIVE"]
    for series, key, unit, meaning in (
        ("workers", "aliveworkers", 1, "Workers that the leading master counts as alive"),
        ("cores", "cores", 1, "Cores that workers offer"),
        ("cores_used", "coresused", 1, "Cores that applications hold"),
        ("memory_bytes", "memory", MEBIBYTE, "Memory that workers offer to executors"),
        ("memory_used_bytes", "memoryused", MEBIBYTE, "Memory that executors hold"),
    ):
        yield family(
            f"spark_{series}", meaning, (), [((), float(state[key] * unit)) for state in leading]
        )
    applications = [
        ((words,), float(sum(one["state"] == words for one in state["activeapps"])))
        for state in leading
        for words in ("RUNNING", "WAITING")
    ]
    yield family(
        "spark_applications", "Applications that run, or wait for cores", ("state",), applications
    )


class Figures(Collector):
    """Series of what was found last, for Prometheus."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.found = Found()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All series."""
        found = self.found
        yield from of_groups(found)
        yield family(
            "certificate_expiry_time_seconds",
            "Until when the certificate of a listener is valid",
            ("endpoint",),
            [((endpoint,), until) for endpoint, until in sorted(found.certificates.items())],
        )
        yield family(
            "connections_limit",
            "Connections that a listener of a broker accepts",
            ("broker", "listener"),
            [
                ((str(broker), name), limit)
                for (broker, name), limit in sorted(found.limits.items())
            ],
        )
        yield from of_pipelines(found)
        yield from of_spark(found)
