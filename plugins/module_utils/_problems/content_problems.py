# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of topics that differ from their declaration, as status and page find them; no I/O.

A declaration, in plain types, is what runs apply, with the defaults of the site. ``topics`` has by
name ``partitions`` and ``replicas`` (numbers, None for the cluster's default), ``config`` (texts
by key), ``defaults`` (keys that are declared as the cluster's default), and ``affects`` (instances
of pipelines that use the topic). Undeclared topics are not problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .config_values import Value, changed_keys
from .kafka_problems import SERVICE
from .platform_problem import Problem

# File with the declaration of a cluster, in the directory for metrics of operations.
FILE = "{cluster}@declared.json"
KIND = "ContentChanged"
# What no run changes by itself: the page tells how to declare or reset it.
RUNBOOK = "docs/operate/alerts/ContentChanged.md"
# Undeclared keys with which a topic rejects, deletes or does not replicate records. Runs do not
# change undeclared keys; `make plan` names the first ones of all.
HARMFUL = (
    *("cleanup.policy", "max.message.bytes", "min.insync.replicas"),
    *("retention.bytes", "retention.ms"),
)
# Problems with a text of their own.
MOST = 20


@dataclass(frozen=True)
class TopicState:
    """A topic in the cluster: ``replicas`` is the smallest number of replicas of a partition.

    ``config`` holds only keys that are set on the topic itself.
    """

    partitions: int
    replicas: int
    config: Mapping[str, Value] = field(default_factory=dict)


def keys_to_read(declared: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return the keys that the comparison of all declared topics needs."""
    declared_keys = {
        key for spec in declared.values() for key in (*spec["config"], *spec["defaults"])
    }
    return declared_keys | {*HARMFUL}


def topic_problems(name: str, spec: Mapping[str, Any], found: TopicState | None) -> list[Problem]:
    """Return the problems of a declared topic; ``found`` is None for one that does not exist."""
    affects = tuple(spec.get("affects") or ())
    if found is None:
        text = f"topic {name} is declared and does not exist"
        return [Problem(KIND, SERVICE, text, affects=affects)]
    result = []
    if applied := _applied_differences(spec, found):
        text = f"topic {name}: {'; '.join(applied)}"
        result.append(Problem(KIND, SERVICE, text, affects=affects))
    if kept := _kept_differences(spec, found):
        text = f"topic {name}: {'; '.join(kept)}"
        result.append(Problem(KIND, SERVICE, text, RUNBOOK, affects=affects))
    return result


def _applied_differences(spec: Mapping[str, Any], found: TopicState) -> list[str]:
    """Return messages on what `make topics` applies again."""
    partitions, replicas = spec.get("partitions"), spec.get("replicas")
    texts = []
    if partitions and found.partitions < partitions:
        texts.append(f"it has {found.partitions} of {partitions} declared partitions")
    # A reassignment adds replicas before it removes others.
    if replicas and found.replicas < replicas:
        texts.append(f"a partition has {found.replicas} of {replicas} declared replicas")
    changed, reset = changed_keys(found.config, spec["config"], spec["defaults"])
    for key in sorted(changed):
        now = f"is {found.config[key].text}" if key in found.config else "is not set"
        texts.append(f"{key} {now}, declared {changed[key]}")
    texts += [f"{key} is {found.config[key].text}, declared as default" for key in reset]
    return texts


def _kept_differences(spec: Mapping[str, Any], found: TopicState) -> list[str]:
    """Return messages on what runs do not change."""
    partitions = spec.get("partitions")
    texts = []
    if partitions and found.partitions > partitions:
        texts.append(
            f"it has {found.partitions} partitions, declared {partitions}; "
            "Kafka cannot remove partitions"
        )
    declared = {*spec["config"], *spec["defaults"]}
    texts += [
        f"{key} {found.config[key].text} is not declared"
        for key in HARMFUL
        if key in found.config and key not in declared
    ]
    return texts


def shortened(problems: Iterable[Problem]) -> list[Problem]:
    """Return at most MOST problems, and one with the number of the others."""
    every = list(problems)
    more = len(every) - MOST
    if more <= 0:
        return every
    text = f"{more} more differences from the declaration"
    affects = dict.fromkeys(place for each in every[MOST:] for place in each.affects)
    return [*every[:MOST], Problem(KIND, SERVICE, text, affects=tuple(affects))]
