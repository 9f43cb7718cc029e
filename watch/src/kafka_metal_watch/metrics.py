"""Metrics of the exporter. Series of a deleted group or topic disappear with it."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ._problems.arrangement import Places
from ._problems.platform_problem import Problem
from .content import Content
from .lag import Lag
from .operation import Operation
from .overview import Overview

MEBIBYTE = 1024 * 1024
Family = TypeVar("Family", GaugeMetricFamily, CounterMetricFamily)


@dataclass(frozen=True)
class ClusterState:
    """The last state read. ``members`` by group and topic, ``certificates`` by endpoint."""

    # Parts that no read has ended for since the start.
    pending: tuple[str, ...] = ()
    read: float = 0.0
    # When the lags were read; the other values of the cluster are from ``read``.
    lags_read: float = 0.0
    lags: tuple[Lag, ...] = ()
    members: Mapping[tuple[str, str], int] = field(default_factory=dict)
    certificates: Mapping[str, float] = field(default_factory=dict)
    # Days before its expiry from which a certificate is a problem.
    warn_days: float = 0
    # Connection limits by broker and listener.
    limits: Mapping[tuple[int, str], int] = field(default_factory=dict)
    # State of each pipeline's driver; None if it did not respond.
    pipelines: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    # State of each Spark master, None if it did not respond, and the page of each declared worker.
    masters: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    workers: Mapping[str, str] = field(default_factory=dict)
    # Seconds since the last health check of the container engine, by host.
    engines: Mapping[str, float] = field(default_factory=dict)
    # Firing alerts, targets and groups of rules, as Prometheus returns them; rules: None if unread.
    alerts: tuple[Mapping[str, Any], ...] = ()
    targets: tuple[Mapping[str, Any], ...] = ()
    rules: tuple[Mapping[str, Any], ...] | None = None
    # Machines and groups of instances, and the order in which they start.
    places: Places = field(default_factory=Places)
    overview: Overview = field(default_factory=Overview)
    operation: Operation = field(default_factory=Operation)
    # Declared topics that differ; None if no declaration is known.
    content: Content | None = None
    # Reasons of what could not be read, by kind and name, such as ("group", "billing").
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)


def family(
    name: str, meaning: str, labels: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], float]]
) -> GaugeMetricFamily:
    """Return a metric family with a sample for each row."""
    return filled(GaugeMetricFamily(f"kafka_metal_{name}", meaning, labels=labels), rows)


def counter(
    name: str, meaning: str, labels: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], float]]
) -> CounterMetricFamily:
    """Return a family of counters with a sample for each row; the suffix ``_total`` is added."""
    return filled(CounterMetricFamily(f"kafka_metal_{name}", meaning, labels=labels), rows)


def filled(result: Family, rows: Iterable[tuple[tuple[str, ...], float]]) -> Family:
    """Add a sample for each row."""
    for values, number in rows:
        result.add_metric(values, number)
    return result


def group_metrics(found: ClusterState) -> Iterator[GaugeMetricFamily]:
    """Yield lag, offsets and members of consumer groups as gauges."""
    where = ("group", "topic", "partition")
    keys = [(lag, (lag.group, lag.topic, str(lag.partition))) for lag in found.lags]
    yield family(
        "lag_read_time_seconds", "When offsets were last read", (), [((), found.lags_read)]
    )
    yield family(
        "group_lag_records",
        "Lag: records of a partition after the group's committed offset",
        where,
        [(key, lag.records) for lag, key in keys],
    )
    yield family(
        "group_lag_seconds",
        "Lag in time: age of the first record after the committed offset",
        where,
        [(key, lag.seconds) for lag, key in keys],
    )
    yield family(
        "group_offset",
        "Committed offset of a group",
        where,
        [(key, lag.offset) for lag, key in keys],
    )
    yield family(
        "group_members",
        "Members of a group that consumes a topic",
        ("group", "topic"),
        sorted(found.members.items()),
    )


def parse_time(text: str | None) -> float | None:
    """Return seconds since 1970 of an ISO date; None without a date."""
    return datetime.fromisoformat(text).timestamp() if text else None


def pipeline_metrics(found: ClusterState) -> Iterator[Metric]:
    """Return the metrics of pipelines, from the states of their drivers."""
    known = sorted(found.pipelines.items())
    yield family(
        "pipeline_reachable",
        "Whether the driver of a pipeline responds",
        ("pipeline",),
        [((name,), float(state is not None)) for name, state in known],
    )
    reachable = [(name, state) for name, state in known if state is not None]
    yield family(
        "pipeline_running",
        "Whether all queries of a pipeline run",
        ("pipeline",),
        [((name,), float(state["state"] == "running")) for name, state in reachable],
    )
    yield family(
        "pipeline_failed_starts",
        "Consecutive failed starts of a pipeline's driver",
        ("pipeline",),
        [((name,), state.get("failed_starts") or 0.0) for name, state in reachable],
    )
    # A driver without a topic of invalid records counts none.
    counted = [((name,), state["records"]) for name, state in reachable if state.get("records")]
    for series, key, meaning in (
        ("records", "read", "Records that a pipeline has validated since its driver started"),
        ("invalid_records", "invalid", "Those of them that are invalid"),
    ):
        rows = [(where, records[key]) for where, records in counted]
        yield counter(f"pipeline_{series}", meaning, ("pipeline",), rows)
    yield from output_metrics(reachable)


def output_metrics(
    reachable: Iterable[tuple[str, Mapping[str, Any]]],
) -> Iterator[Metric]:
    """Return the metrics of outputs, from pairs of a pipeline's name and its driver's state."""
    labels = ("pipeline", "output")
    outputs = [
        ((name, output), progress)
        for name, state in reachable
        for output, progress in sorted(state["outputs"].items())
    ]
    for series, key, meaning in (
        ("lag_records", "lag", "Lag: records of the source that an output has not processed"),
        ("batch_seconds", "batch_seconds", "Duration of an output's last batch"),
        ("planned_batch_seconds", "planned_seconds", "For how long an output's batch is planned"),
        ("records_per_second", "rows_per_second", "Throughput of an output's last batch"),
    ):
        yield family(
            f"pipeline_{series}",
            meaning,
            labels,
            [(where, one[key]) for where, one in outputs if one.get(key) is not None],
        )
    yield family(
        "pipeline_output_failing",
        "Whether an output has failed and completed no batch since",
        labels,
        [(where, float(bool(one.get("exception")))) for where, one in outputs],
    )
    for series, key, meaning in (
        ("updated", "updated", "When the last completed batch of an output started"),
        ("output_failed", "failed_at", "When an output last failed; absent if it never has"),
    ):
        times = [(where, parse_time(one.get(key))) for where, one in outputs]
        known = [(where, when) for where, when in times if when is not None]
        yield family(f"pipeline_{series}_time_seconds", meaning, labels, known)
    yield counter(
        "pipeline_output_restarts",
        "Restarts of an output's query since its driver started",
        labels,
        [(where, one.get("restarts") or 0.0) for where, one in outputs],
    )
    archives = [(where, one["archive"]) for where, one in outputs if one.get("archive")]
    for series, key, meaning in (
        ("files", "files", "Files in the lists of an archive that were compared with its folders"),
        ("missing_files", "missing", "Those of them that are missing or have another size"),
    ):
        rows = [(where, archive[key]) for where, archive in archives]
        yield family(f"pipeline_archive_{series}", meaning, labels, rows)


def spark_metrics(found: ClusterState) -> Iterator[GaugeMetricFamily]:
    """Return the metrics of a Spark cluster, from the states of its masters."""
    known = sorted(found.masters.items())
    yield family(
        "spark_master_reachable",
        "Whether a Spark master responds",
        ("master",),
        [((name,), float(state is not None)) for name, state in known],
    )
    yield family(
        "spark_master_leads",
        "Whether a Spark master is the leader; 0 if it does not respond",
        ("master",),
        [((name,), float((state or {}).get("status") == "ALIVE")) for name, state in known],
    )
    workers = "Workers in the inventory"
    yield family(
        "spark_workers_declared", workers, (), [((), float(len(found.workers)))] if known else []
    )
    leading = [state for _, state in known if state and state["status"] == "ALIVE"]
    for series, key, unit, meaning in (
        ("workers", "aliveworkers", 1, "Workers that the leading master reports as alive"),
        ("cores", "cores", 1, "Cores of all workers"),
        ("cores_used", "coresused", 1, "Cores allocated to applications"),
        ("memory_bytes", "memory", MEBIBYTE, "Memory of all workers for executors"),
        ("memory_used_bytes", "memoryused", MEBIBYTE, "Memory allocated to executors"),
    ):
        values = [state[key] for state in leading if state.get(key) is not None]
        rows = [((), float(value) * unit) for value in values]
        yield family(f"spark_{series}", meaning, (), rows)
    applications = [
        ((name,), float(sum(one.get("state") == name for one in state.get("activeapps") or ())))
        for state in leading
        for name in ("RUNNING", "WAITING")
    ]
    yield family(
        "spark_applications",
        "Applications that are running or waiting for cores",
        ("state",),
        applications,
    )


class ClusterCollector(Collector):
    """Collector of the metrics of the last state read, and of its ``problems``."""

    def __init__(
        self,
        state: Callable[[], ClusterState],
        problems: Callable[[ClusterState], Iterable[Problem]],
    ) -> None:
        """``state`` returns the last state, and ``problems`` those of a state."""
        self._state = state
        self._problems = problems

    def collect(self) -> Iterator[Metric]:
        """Return all metrics."""
        found = self._state()
        yield from group_metrics(found)
        yield family(
            "certificate_expiry_time_seconds",
            "Expiry of the certificate of a listener",
            ("endpoint",),
            [((endpoint,), until) for endpoint, until in sorted(found.certificates.items())],
        )
        yield family(
            "connections_limit",
            "Connection limit of a listener",
            ("broker", "listener"),
            [
                ((str(broker), name), limit)
                for (broker, name), limit in sorted(found.limits.items())
            ],
        )
        # Absent while unknown: an old value would hide that a broker is down.
        known = () if any(kind == "cluster" for kind, _ in found.unread) else found.overview.brokers
        yield family(
            "broker_registered",
            "Whether a broker is registered; absent while the exporter cannot read it",
            ("broker",),
            [((str(broker.id),), float(broker.registered)) for broker in known],
        )
        yield family(
            "exporter_unread",
            "What the exporter could not read; absent if it read everything",
            ("kind", "name"),
            [(where, 1.0) for where in sorted(found.unread)],
        )
        yield family(
            "problem",
            "A problem, as the cluster's page lists it; absent without problems",
            ("kind", "where", "severity"),
            [(key, 1.0) for key in sorted({_labels(each) for each in self._problems(found)})],
        )
        # An operation in progress may change them.
        operating = found.operation.in_progress(time.time())
        differing = found.content.topics if found.content and not operating else 0
        yield family(
            "topics_changed",
            "Declared topics that differ from their declaration; absent without a declaration",
            (),
            [] if found.content is None else [((), differing)],
        )
        yield from pipeline_metrics(found)
        yield from spark_metrics(found)


def _labels(problem: Problem) -> tuple[str, str, str]:
    return problem.kind, problem.where, problem.level
