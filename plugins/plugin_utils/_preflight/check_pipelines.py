# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared pipelines: results of their validator, and their needs of topics, ports and cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...module_utils._common.suggestions import did_you_mean, list_allowed
from .._declarations.declarations_package import (
    ALLOWED_SPELLING,
    find_problems,
    read_needs,
    repeated_options,
    site_only_keys,
)
from .._declarations.declared_topics import TOPICS
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, advice, join_names
from .._site.kafka import KAFKA
from .._site.pipeline import PIPELINE
from .._site.schema_registry import REGISTRY
from .._site.services import entries
from .._site.site_model import Site
from .._site.spark import WORKER

PIPELINES = "pipeline_pipelines"
OWN_PORTS = "pipeline_status_ports"
KAFKA_OPTIONS = "pipeline_kafka_options"
SPARK_OPTIONS = "pipeline_spark_options"
REGISTRIES = "pipeline_registry"

# Keys that need the schema; a schema from a sample is only known when the file is rendered.
_AFTER_SAMPLE = ("source.schema.sample", "source.event_time", "partition_by")


def pipeline_declarations(site: Site) -> Iterator[Problem]:
    """Pipelines pass the validator that their drivers use."""
    for host in site.members(PIPELINE.group):
        declared = site.value(host, PIPELINES, {})
        bodies = declared.items() if isinstance(declared, Mapping) else ()
        misplaced_keys = [
            wrong
            for name, body in bodies
            if isinstance(body, Mapping)
            for wrong in site_only_keys(str(name), body)
        ]
        for wrong in [*find_problems(declared), *misplaced_keys]:
            if wrong.key.endswith(_AFTER_SAMPLE) and _is_sampled(site, host, wrong.pipeline):
                continue
            where = f"{PIPELINES}.{wrong.pipeline}.{wrong.key}" if wrong.pipeline else PIPELINES
            yield Problem(host, where, wrong.found, wrong.allowed)


def _is_sampled(site: Site, host: str, pipeline: str) -> bool:
    declared = entries(site, host, PIPELINES).get(pipeline)
    source = declared.get("source") if isinstance(declared, Mapping) else None
    return isinstance(source, Mapping) and isinstance(source.get("schema"), Mapping)


def pipeline_topics(site: Site) -> Iterator[Problem]:
    """Every topic that a pipeline uses is declared, since topics are not created automatically."""
    declared: set[str] = set()
    brokers = site.members(KAFKA.group)
    none = "none so far" if brokers else f"none so far, as group {KAFKA.group} has no host"
    for host in brokers[:1]:
        topics = site.value(host, TOPICS, {})
        if not isinstance(topics, Mapping):
            return
        declared = set(map(str, topics))
    for host in site.members(PIPELINE.group):
        for name, pipeline in entries(site, host, PIPELINES).items():
            for where, topic in _topics_of(site, host, pipeline):
                if topic not in declared:
                    meant = did_you_mean(topic, declared)
                    yield Problem(
                        host,
                        f"{PIPELINES}.{name}.{where}",
                        f"topic {topic}, which is not declared",
                        f"{meant} (did you mean that?), or an entry in {TOPICS}"
                        if meant
                        else f"a topic of {TOPICS}: {join_names(declared) or none}",
                    )


def _topics_of(site: Site, host: str, pipeline: object) -> Iterator[tuple[str, str]]:
    """Yield key and topic for each topic of a pipeline, and the topic of marks if it is needed."""
    needs = read_needs(pipeline)
    yield from needs.topics
    if needs.marks:
        yield "delivery", str(site.value(host, "pipeline_marks_topic", "kafka-metal-marks"))


def pipeline_registry(site: Site) -> Iterator[Problem]:
    """Pipelines with schemas of a registry name one, or the site has one."""
    for host in site.members(PIPELINE.group):
        # The role's default has secrets, and is a lookup.
        own = site.value(host, REGISTRIES) if REGISTRIES in site.own_names(host) else None
        if own or (own is None and site.members(REGISTRY.group)):
            continue
        for name, pipeline in entries(site, host, PIPELINES).items():
            if read_needs(pipeline).registry:
                yield Problem(
                    host,
                    f"{PIPELINES}.{name}.source.registry",
                    "no url",
                    f"a url, hosts in the group {REGISTRY.group}, or {REGISTRIES} with urls",
                )


def driver_ports(site: Site) -> Iterator[Problem]:
    """Each fixed status port is a valid port of a declared pipeline."""
    for host in site.members(PIPELINE.group):
        names = entries(site, host, PIPELINES)
        for name, value in entries(site, host, OWN_PORTS).items():
            port = whole_number(value)
            if name not in names:
                yield Problem(host, OWN_PORTS, str(name), list_allowed(str(name), map(str, names)))
            elif port is None or not 0 < port < 65_536:
                yield Problem(host, f"{OWN_PORTS}.{name}", str(value), "1 to 65535")


def pipeline_cores(site: Site) -> Iterator[Problem]:
    """Workers have enough cores for all pipelines; without cores a pipeline waits forever."""
    workers = [h for h, _ in site.values(site.members(WORKER.group), "spark_worker_cores")]
    offered = sum(whole_number(v) or 0 for _, v in site.values(workers, "spark_worker_cores"))
    wanted: dict[str, int] = {}
    for host in site.members(PIPELINE.group):
        for name, pipeline in entries(site, host, PIPELINES).items():
            cores = _cores(pipeline)
            wanted[f"{host}: {name} {cores}"] = cores
    if wanted and sum(wanted.values()) > offered:
        yield Problem(
            PIPELINE.group,
            f"{PIPELINES}.*.resources.cores",
            f"{sum(wanted.values())} cores ({join_names(wanted)})",
            f"at most {offered}, the cores of all workers (spark_worker_cores)",
        )


def kafka_options(site: Site) -> Iterator[Problem]:
    """Kafka's client options for all pipelines have one spelling each, as only one would count."""
    for host in site.members(PIPELINE.group):
        # The role's default authenticates drivers, and is a lookup.
        own = KAFKA_OPTIONS in site.own_names(host)
        options = map(str, entries(site, host, KAFKA_OPTIONS) if own else ())
        for option, earlier in repeated_options(options):
            yield Problem(
                host,
                f"{KAFKA_OPTIONS}.{option}",
                f"another spelling of {earlier}",
                ALLOWED_SPELLING,
            )


def spark_options(site: Site) -> Iterator[Problem]:
    """Spark settings for all pipelines have names that Spark reads."""
    for host in site.members(PIPELINE.group):
        for key in map(str, entries(site, host, SPARK_OPTIONS)):
            # spark.hadoop.* are those of Hadoop.
            if not key.startswith("spark."):
                yield Problem(
                    host,
                    f"{SPARK_OPTIONS}.{key}",
                    "a name that Spark ignores",
                    f"names that start with spark., such as spark.{key}",
                )


def output_cores(site: Site) -> Iterator[Problem]:
    """A pipeline with several outputs has at least 2 cores, for when a target is unreachable."""
    for host in site.members(PIPELINE.group):
        for name, pipeline in entries(site, host, PIPELINES).items():
            outputs = pipeline.get("outputs") if isinstance(pipeline, Mapping) else None
            if isinstance(outputs, Mapping) and len(outputs) > 1 and _cores(pipeline) == 1:
                yield advice(
                    host,
                    f"{PIPELINES}.{name}.resources.cores",
                    f"1 core for {len(outputs)} outputs: all wait while one target is unreachable",
                    "2, so that the other outputs continue",
                )


def _cores(pipeline: object) -> int:
    """Number of cores of a pipeline; 0 if it is malformed."""
    spec = pipeline.get("resources") if isinstance(pipeline, Mapping) else None
    return (whole_number(spec.get("cores", 1)) or 0) if isinstance(spec, Mapping) else 1
