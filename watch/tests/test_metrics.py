"""What the programs show is what the catalogue of series says they show."""

from datetime import UTC, datetime

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.metrics_catalogue import (
    series_of,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_series,
)
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import Figures, Found
from kafka_metal_watch.probe import Score
from prometheus_client import CollectorRegistry, generate_latest

CATALOGUE = series_of(read_series())
STATE = {
    "state": "running",
    "outputs": {
        "fraud": {
            "lag": 7,
            "batch_seconds": 0.5,
            "rows_per_second": 100.0,
            "updated": "2026-01-01T00:00:10+00:00",
        },
        "archive": {"lag": None, "batch_seconds": None, "rows_per_second": None, "updated": None},
    },
}
LEADS = {
    "status": "ALIVE",
    "aliveworkers": 1,
    **{"cores": 4, "coresused": 2, "memory": 2048, "memoryused": 768},
    "activeapps": [{"state": "RUNNING"}, {"state": "WAITING"}, {"state": "WAITING"}],
}
FOUND = Found(
    read=5.0,
    lags=(Lag("g", "t", 0, 10, 5, 2.5),),
    members={("g", "t"): 2},
    certificates={"kafka1:9092": 99.0},
    limits={(1, "CLIENTS"): 900},
    pipelines={"payments": STATE, "gone": None},
    masters={"m1": {"status": "STANDBY"}, "m2": LEADS, "m3": None},
    workers=2,
)


def shown(found):
    registry = CollectorRegistry()
    figures = Figures()
    figures.found = found
    registry.register(figures)
    return registry


def families(registry, job):
    described = {
        name: one
        for name, one in CATALOGUE.items()
        if job in one.jobs and name.startswith("kafka_metal_")
    }
    given = {}
    for family in registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {tuple(sorted(set(sample.labels) - {"le"})) for sample in family.samples}
        given[name] = (family.type, labels)
    return described, given


@pytest.mark.parametrize(
    ("job", "registry"),
    [("exporter", lambda: shown(FOUND)), ("probe", lambda: scored(0.0))],
)
def test_a_program_shows_the_series_of_its_job_and_no_other(job, registry):
    described, given = families(registry(), job)
    assert set(given) == set(described)
    for name, (kind, labels) in given.items():
        assert kind == described[name].type, name
        assert labels == {tuple(sorted(described[name].labels))}, name


def scored(now):
    registry = CollectorRegistry()
    Score(registry, now).begin([0], now)
    return registry


def test_values_of_a_group():
    figures = shown(FOUND)
    where = {"group": "g", "topic": "t", "partition": "0"}
    assert figures.get_sample_value("kafka_metal_group_lag_records", where) == 5
    assert figures.get_sample_value("kafka_metal_group_lag_seconds", where) == 2.5
    assert figures.get_sample_value("kafka_metal_group_offset", where) == 10


def test_a_pipeline_that_does_not_answer_is_not_called_stopped():
    figures = shown(FOUND)
    name = {"pipeline": "gone"}
    assert figures.get_sample_value("kafka_metal_pipeline_reachable", name) == 0
    assert figures.get_sample_value("kafka_metal_pipeline_running", name) is None


def test_one_master_leads_and_tells_what_there_is():
    figures = shown(FOUND)

    def value(name, **labels):
        return figures.get_sample_value(f"kafka_metal_spark_{name}", labels)

    assert [value("master_leads", master=name) for name in ("m1", "m2", "m3")] == [0, 1, 0]
    assert [value("master_reachable", master=name) for name in ("m1", "m3")] == [1, 0]
    assert (value("workers"), value("workers_declared"), value("cores_used")) == (1, 2, 2)
    assert value("memory_bytes") == 2048 * 1024 * 1024
    assert (value("applications", state="WAITING"), value("applications", state="RUNNING")) == (
        2,
        1,
    )


def test_without_a_leader_nobody_knows_the_workers():
    figures = shown(Found(masters={"m1": {"status": "STANDBY"}}, workers=2))
    assert figures.get_sample_value("kafka_metal_spark_workers") is None
    assert figures.get_sample_value("kafka_metal_spark_workers_declared") == 2


def test_a_site_without_spark_has_no_series_of_it():
    assert b"\nkafka_metal_spark" not in generate_latest(shown(Found(read=6.0)))


def test_an_output_before_its_first_batch_has_no_figures():
    figures = shown(FOUND)
    fraud = {"pipeline": "payments", "output": "fraud"}
    archive = {"pipeline": "payments", "output": "archive"}
    moment = datetime(2026, 1, 1, 0, 0, 10, tzinfo=UTC).timestamp()
    updated = "kafka_metal_pipeline_updated_time_seconds"
    assert figures.get_sample_value(updated, fraud) == moment
    assert figures.get_sample_value(updated, archive) is None


def test_a_group_that_is_gone_takes_its_series_along():
    assert b'group="g"' not in generate_latest(shown(Found(read=6.0)))
