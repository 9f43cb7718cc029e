# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Executors of declared pipelines: whether the Spark workers have memory for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...module_utils._common.units import memory_bytes, size_text
from .._declarations.declarations_package import DEFAULT_MEMORY
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, join_names
from .._site.pipeline import PIPELINE
from .._site.services import entries
from .._site.site_model import Site
from .._site.spark import WORKER
from .check_pipelines import PIPELINES


@dataclass
class Worker:
    """Cores and bytes of memory of a Spark worker that no executor uses yet."""

    host: str
    cores: int
    memory: int


@dataclass(frozen=True)
class Pipeline:
    """Cores of a pipeline, and bytes of memory of each of its executors."""

    host: str
    name: str
    cores: int
    memory: int


def pipeline_memory(site: Site) -> Iterator[Problem]:
    """Workers have memory for an executor of each pipeline; without one it waits forever."""
    workers, pipelines = list(_workers(site)), list(_pipelines(site))
    if not workers or sum(each.cores for each in pipelines) > sum(each.cores for each in workers):
        # Another check reports missing cores.
        return
    offered = [f"{each.host} {size_text(each.memory)}" for each in workers]
    largest = max(each.memory for each in workers)
    started: list[str] = []
    for each in pipelines:
        where = f"{PIPELINES}.{each.name}.resources.executor_memory"
        if each.memory > largest:
            yield Problem(
                each.host,
                where,
                size_text(each.memory),
                f"at most {size_text(largest)}, the memory of the largest worker "
                "(spark_worker_memory)",
            )
            continue
        count = _place(each, workers)
        if not count:
            free = max((worker.memory for worker in workers if worker.cores), default=0)
            yield Problem(
                each.host,
                where,
                f"{size_text(each.memory)}, but after the executors of {', '.join(started)} a "
                f"worker has at most {size_text(free)} left",
                f"less memory for executors, or more for workers (spark_worker_memory: "
                f"{join_names(offered)})",
            )
        started.append(f"{each.name} ({count} x {size_text(each.memory)})")


def _place(pipeline: Pipeline, workers: list[Worker]) -> int:
    """Place a pipeline's executors as a Spark master does; return how many workers have one.

    The master spreads the cores over all workers with enough memory, one executor on each.
    """
    usable = [each for each in workers if each.cores and each.memory >= pipeline.memory]
    usable.sort(key=lambda each: -each.cores)
    used: dict[str, int] = {}
    wanted = pipeline.cores
    while wanted and any(each.cores for each in usable):
        for each in usable:
            if wanted and each.cores:
                each.cores, wanted = each.cores - 1, wanted - 1
                used[each.host] = used.get(each.host, 0) + 1
    for each in usable:
        if each.host in used:
            each.memory -= pipeline.memory
    return len(used)


def _workers(site: Site) -> Iterator[Worker]:
    """Yield the workers with valid cores and memory."""
    for host in site.members(WORKER.group):
        cores = whole_number(site.value(host, "spark_worker_cores"))
        memory = memory_bytes(site.value(host, "spark_worker_memory", ""))
        if cores and memory:
            yield Worker(host, cores, memory)


def _pipelines(site: Site) -> Iterator[Pipeline]:
    """Yield the pipelines with valid cores and memory, in the order of their declaration."""
    for host in site.members(PIPELINE.group):
        for name, declared in entries(site, host, PIPELINES).items():
            spec = declared.get("resources", {}) if isinstance(declared, Mapping) else None
            if isinstance(spec, Mapping):
                cores = whole_number(spec.get("cores", 1))
                memory = memory_bytes(spec.get("executor_memory", DEFAULT_MEMORY))
                if cores and memory:
                    yield Pipeline(host, str(name), cores, memory)
