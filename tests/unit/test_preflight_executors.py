"""Preflight counts the memory of executors against the memory of workers."""

import copy

import pytest
from preflight_sites import Faults, ValidSite, pipeline, problems, put


def several(*executors: str, **worker: object):
    """Plant one pipeline with 1 core for each size of executors, and values of all workers."""

    def plant(site: ValidSite) -> None:
        declared = site.hosts["driver1"]["pipeline_pipelines"]
        first = declared.pop("payments")
        for number, memory in enumerate(executors, start=1):
            resources = {"cores": 1, "executor_memory": memory, "driver_memory": "1g"}
            declared[f"p{number}"] = {**copy.deepcopy(first), "resources": resources}
        for name in ("worker1", "worker2", "worker3"):
            site.hosts[name].update(worker)

    return plant


FAULTS: Faults = {
    "an executor larger than each worker": (
        pipeline(resources={"cores": 2, "executor_memory": "3g"}),
        ["pipeline: pipeline_pipelines.payments.resources.executor_memory: found 3.0 GiB; allowed: "
         "at most 2.0 GiB, the memory of the largest worker (spark_worker_memory)"],
    ),
    "no memory for the executor of the last pipeline": (
        several("1536m", "1536m", "1536m", "768m"),
        ["pipeline: pipeline_pipelines.p4.resources.executor_memory: found 768 MiB, but after the "
         "executors of p1 (1 x 1.5 GiB), p2 (1 x 1.5 GiB), p3 (1 x 1.5 GiB) a worker has at most "
         "512 MiB left; allowed: less memory for executors, or more for workers "
         "(spark_worker_memory: worker1 2.0 GiB, worker2 2.0 GiB, worker3 2.0 GiB)"],
    ),
    "executors as large as each worker": (
        several("1g", "1g", "1g", "1g", spark_worker_memory="1g"),
        ["pipeline_pipelines.p4.resources.executor_memory: found 1.0 GiB"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_missing_memory_is_reported_with_pipeline_and_sizes(name):
    site = ValidSite()
    plant, parts = FAULTS[name]
    plant(site)
    found = problems(site)
    assert len(found) == 1
    assert [part for part in parts if part not in found[0]] == []


@pytest.mark.parametrize(
    "plant",
    [
        several("1536m", "1536m", "1536m", "512m"),
        several("2g", "2g", "2g"),
        # A pipeline with 2 cores has an executor on each of two workers.
        pipeline(resources={"cores": 2, "executor_memory": "2g"}),
        put("worker3", "spark_worker_memory", "1g"),
    ],
)
def test_executors_that_fit_are_accepted(plant):
    site = ValidSite()
    plant(site)
    assert problems(site) == []


def test_executors_are_spread_over_workers_as_a_master_does():
    site = ValidSite()
    # Each pipeline with 3 cores has an executor on each of the three workers.
    several("1g", "1g")(site)
    for each in site.hosts["driver1"]["pipeline_pipelines"].values():
        each["resources"].update(cores=3)
    assert problems(site) == []
    site.hosts["driver1"]["pipeline_pipelines"]["p1"]["resources"]["executor_memory"] = "1100m"
    assert "p2.resources.executor_memory: found 1.0 GiB" in problems(site)[0]


def test_missing_cores_are_reported_once():
    site = ValidSite()
    several(*["2g"] * 7)(site)
    (found,) = problems(site)
    assert "resources.cores" in found
