"""Exporter and probe export exactly the metrics of the catalogue."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.metrics_catalogue import (
    parse_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_series,
)
from kafka_metal_watch._problems.platform_problem import Problem
from kafka_metal_watch.content import Content
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import ClusterCollector, ClusterState
from kafka_metal_watch.overview import Broker, Overview
from kafka_metal_watch.probe import ProbeMetrics
from prometheus_client import CollectorRegistry, generate_latest

CATALOGUE = parse_series(read_series())
STATE = {
    "state": "running",
    "failed_starts": 2,
    "records": {"read": 500, "invalid": 40, "reason": "empty"},
    "outputs": {
        "fraud": {
            "lag": 7,
            "batch_seconds": 0.5,
            "planned_seconds": 600,
            "rows_per_second": 100.0,
            "updated": "2026-01-01T00:00:10+00:00",
            "restarts": 3,
            "exception": "the target refuses connections",
            "failed_at": "2026-01-01T00:00:05+00:00",
        },
        "archive": {
            **{"lag": None, "batch_seconds": None, "rows_per_second": None, "updated": None},
            "archive": {"files": 9, "missing": 1, "rows": 7, "first": "date=1/part-0.parquet"},
        },
    },
}
LEADS = {
    "status": "ALIVE",
    "aliveworkers": 1,
    **{"cores": 4, "coresused": 2, "memory": 2048, "memoryused": 768},
    "activeapps": [{"state": "RUNNING"}, {"state": "WAITING"}, {"state": "WAITING"}],
}
FOUND = ClusterState(
    read=5.0,
    lags_read=4.0,
    unread={("group", "billing"): "moved"},
    lags=(Lag("g", "t", 0, 10, 5, 2.5),),
    members={("g", "t"): 2},
    certificates={"kafka1:9092": 99.0},
    limits={(1, "CLIENTS"): 900},
    pipelines={"payments": STATE, "gone": None},
    masters={"m1": {"status": "STANDBY"}, "m2": LEADS, "m3": None},
    workers={"spark-worker1": "w1:8081", "spark-worker2": "w2:8081"},
    content=Content(topics=2),
    overview=Overview(brokers=(Broker(1, registered=True), Broker(2))),
)


def exported(found):
    registry = CollectorRegistry()
    problem = Problem("ServiceDown", "kafka1", "it is down")
    registry.register(ClusterCollector(lambda: found, lambda _: [problem]))
    return registry


def families(registry, job):
    described = {
        name: one
        for name, one in CATALOGUE.items()
        if job in one.jobs and name.startswith("kafka_metal_")
    }
    actual = {}
    for family in registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {tuple(sorted(set(sample.labels) - {"le"})) for sample in family.samples}
        actual[name] = (family.type, labels)
    return described, actual


@pytest.mark.parametrize(
    ("job", "registry"),
    [("exporter", lambda: exported(FOUND)), ("probe", lambda: probe_metrics(0.0))],
)
def test_a_job_exports_exactly_its_metrics(job, registry):
    described, actual = families(registry(), job)
    assert set(actual) == set(described)
    for name, (kind, labels) in actual.items():
        assert kind == described[name].type, name
        assert labels == {tuple(sorted(described[name].labels))}, name


def probe_metrics(now):
    registry = CollectorRegistry()
    ProbeMetrics(registry, now).begin([0], now)
    return registry


def test_values_of_a_group():
    metrics = exported(FOUND)
    where = {"group": "g", "topic": "t", "partition": "0"}
    assert metrics.get_sample_value("kafka_metal_group_lag_records", where) == 5
    assert metrics.get_sample_value("kafka_metal_group_lag_seconds", where) == 2.5
    assert metrics.get_sample_value("kafka_metal_group_offset", where) == 10


def test_items_that_could_not_be_read_are_named():
    metrics = exported(FOUND)
    where = {"kind": "group", "name": "billing"}
    assert metrics.get_sample_value("kafka_metal_exporter_unread", where) == 1
    assert metrics.get_sample_value("kafka_metal_lag_read_time_seconds") == 4


def test_an_unreachable_pipeline_has_no_running_state():
    metrics = exported(FOUND)
    name = {"pipeline": "gone"}
    assert metrics.get_sample_value("kafka_metal_pipeline_reachable", name) == 0
    assert metrics.get_sample_value("kafka_metal_pipeline_running", name) is None


def test_spark_metrics_come_from_the_leading_master():
    metrics = exported(FOUND)

    def value(name, **labels):
        return metrics.get_sample_value(f"kafka_metal_spark_{name}", labels)

    assert [value("master_leads", master=name) for name in ("m1", "m2", "m3")] == [0, 1, 0]
    assert [value("master_reachable", master=name) for name in ("m1", "m3")] == [1, 0]
    assert (value("workers"), value("workers_declared"), value("cores_used")) == (1, 2, 2)
    assert value("memory_bytes") == 2048 * 1024 * 1024
    assert (value("applications", state="WAITING"), value("applications", state="RUNNING")) == (
        2,
        1,
    )


def test_without_a_leading_master_the_workers_are_unknown():
    metrics = exported(ClusterState(masters={"m1": {"status": "STANDBY"}}, workers=FOUND.workers))
    assert metrics.get_sample_value("kafka_metal_spark_workers") is None
    assert metrics.get_sample_value("kafka_metal_spark_workers_declared") == 2


def test_a_cluster_without_spark_has_no_spark_metrics():
    assert b"\nkafka_metal_spark" not in generate_latest(exported(ClusterState(read=6.0)))


def test_counts_of_pipelines_and_outputs():
    metrics = exported(FOUND)
    driver, fraud = {"pipeline": "payments"}, {"pipeline": "payments", "output": "fraud"}
    kept = {"pipeline": "payments", "output": "archive"}
    moment = datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC).timestamp()

    def value(name, labels):
        return metrics.get_sample_value(f"kafka_metal_pipeline_{name}", labels)

    assert (value("records_total", driver), value("invalid_records_total", driver)) == (500, 40)
    assert value("failed_starts", driver) == 2
    assert (value("output_restarts_total", fraud), value("output_restarts_total", kept)) == (3, 0)
    planned = "planned_batch_seconds"
    assert (value(planned, fraud), value(planned, kept)) == (600, None)
    failing = "output_failing"
    assert (value(failing, fraud), value(failing, kept)) == (1, 0)
    failed = "output_failed_time_seconds"
    assert (value(failed, fraud), value(failed, kept)) == (moment, None)
    assert (value("archive_files", kept), value("archive_missing_files", kept)) == (9, 1)
    assert value("archive_files", fraud) is None


def test_a_pipeline_without_an_invalid_topic_has_no_counts():
    state = {"state": "running", "records": None, "outputs": {}}
    metrics = exported(ClusterState(pipelines={"copy": state}))
    assert (
        metrics.get_sample_value("kafka_metal_pipeline_records_total", {"pipeline": "copy"}) is None
    )


def test_an_output_before_its_first_batch_has_no_metrics():
    metrics = exported(FOUND)
    fraud = {"pipeline": "payments", "output": "fraud"}
    archive = {"pipeline": "payments", "output": "archive"}
    moment = datetime(2026, 1, 1, 0, 0, 10, tzinfo=UTC).timestamp()
    updated = "kafka_metal_pipeline_updated_time_seconds"
    assert metrics.get_sample_value(updated, fraud) == moment
    assert metrics.get_sample_value(updated, archive) is None


def test_a_deleted_group_has_no_metrics():
    assert b'group="g"' not in generate_latest(exported(ClusterState(read=6.0)))


def registered(registry):
    return {
        broker: registry.get_sample_value("kafka_metal_broker_registered", {"broker": broker})
        for broker in ("1", "2")
    }


def test_unregistered_brokers_are_exported_while_the_cluster_can_be_read():
    assert registered(exported(FOUND)) == {"1": 1.0, "2": 0.0}
    unread = replace(FOUND, unread={("cluster", "all"): "timed out"})
    assert registered(exported(unread)) == {"1": None, "2": None}
