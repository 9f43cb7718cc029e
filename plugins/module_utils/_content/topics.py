# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics: current state, desired state and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._common.properties_file import PropertyError, as_text
from .._kafka.config_values import same
from .topic_model import (
    Configure,
    Create,
    Delete,
    Grow,
    Move,
    Spec,
    Step,
    Topic,
    TopicError,
    either,
)

KAFKAS_OWN = "__"


def specs_of(topics: Mapping[str, Mapping[str, Any]]) -> list[Spec]:
    """Specs from the parameters of the module; a config value of None is the cluster's default.

    Raises TopicError when a value has no form that Kafka reads.
    """
    specs, wrong = [], []
    for name in sorted(topics):
        declared = topics[name] or {}
        try:
            config = {
                str(key): as_text(f"topic {name}: {key}", value)
                for key, value in (declared.get("config") or {}).items()
                if value is not None
            }
        except PropertyError as error:
            wrong.append(str(error))
            continue
        partitions, replication = declared.get("partitions"), declared.get("replication_factor")
        placement = tuple(tuple(brokers) for brokers in declared.get("placement") or ())
        if placement:
            partitions, replication = len(placement), len(placement[0])
        defaults = frozenset(str(key) for key in declared.get("config") or {}) - config.keys()
        specs.append(Spec(name, partitions, replication, config, placement, defaults))
    if wrong:
        raise TopicError(wrong)
    return specs


def misplaced(current: Topic, spec: Spec) -> bool:
    """Whether replicas of a topic that is there have to move."""
    if spec.placement:
        return current.placement != spec.placement[: current.partitions]
    return bool(spec.replication_factor) and current.replicas != {spec.replication_factor}


def plan(current: Topic | None, spec: Spec, moves: bool = False) -> list[Step]:
    """Steps from ``current`` to ``spec``; partitions can only grow.

    With ``moves`` replicas that are to be elsewhere are a step, otherwise a spec that cannot be
    met. Raises TopicError when there is one.
    """
    if current is None:
        return [Create(spec)]
    steps: list[Step] = []
    if spec.partitions and spec.partitions < current.partitions:
        raise TopicError(
            [
                f"topic {spec.name}: {spec.partitions} partitions are declared, "
                f"it has {current.partitions} and Kafka cannot take partitions away"
            ]
        )
    if misplaced(current, spec):
        if not moves:
            raise TopicError([_unmoved(current, spec)])
        steps.append(Move(spec.name, current.replicas, spec))
    if spec.partitions and spec.partitions > current.partitions:
        new = spec.placement[current.partitions :]
        steps.append(Grow(spec.name, current.partitions, spec.partitions, new))
    changes = {
        key: text
        for key, text in spec.config.items()
        if key not in current.config or not same(current.config[key], text)
    }
    reset = tuple(sorted(spec.defaults & current.config.keys()))
    if changes or reset:
        touched = (*changes, *reset)
        before = {key: current.config[key].text for key in touched if key in current.config}
        steps.append(Configure(spec.name, before, changes, reset))
    return steps


def unmanaged(current: Topic, spec: Spec) -> dict[str, str]:
    """Values by key that are set on the topic and that nothing declares: somebody's by hand."""
    known = {*spec.config, *spec.defaults}
    return {key: current.config[key].text for key in sorted(current.config) if key not in known}


def _unmoved(current: Topic, spec: Spec) -> str:
    if spec.placement:
        return (
            f"topic {spec.name}: other brokers are declared than those that have its replicas; "
            "changing that moves data and is not done here"
        )
    return (
        f"topic {spec.name}: replication factor {spec.replication_factor} is declared, "
        f"it has {either(current.replicas)}; changing it moves data and is not done here"
    )


def plan_absent(
    current: Mapping[str, Topic], absent: Iterable[str], confirmed: Iterable[str]
) -> list[Step]:
    """Deletions of those topics that are there; raises TopicError for each that is not confirmed.

    A topic of Kafka's own is never deleted, whoever confirms it.
    """
    known = set(confirmed)
    steps: list[Step] = []
    wrong = []
    for name in sorted(set(absent)):
        if name.startswith(KAFKAS_OWN):
            wrong.append(f"topic {name}: is one of Kafka's own, which are never deleted")
        elif name in current and name not in known:
            wrong.append(
                f"topic {name}: is to be deleted with its {current[name].partitions} partitions; "
                "that is done once its name stands under confirm_delete as well"
            )
        elif name in current:
            steps.append(Delete(name, current[name].partitions))
    if wrong:
        raise TopicError(wrong)
    return steps


def plan_all(
    current: Mapping[str, Topic],
    specs: Iterable[Spec],
    absent: Iterable[str] = (),
    confirmed: Iterable[str] = (),
    moves: bool = False,
) -> list[Step]:
    """Steps for all specs; raises one TopicError that names every spec that cannot be met."""
    steps: list[Step] = []
    wrong: list[str] = []
    gone = set(absent)
    for spec in specs:
        try:
            steps += plan(current.get(spec.name), spec, moves)
        except TopicError as error:
            wrong += error.messages
        if spec.name in gone:
            wrong.append(f"topic {spec.name}: is declared and to be absent")
    try:
        steps += plan_absent(current, gone, confirmed)
    except TopicError as error:
        wrong += error.messages
    if wrong:
        raise TopicError(wrong)
    return steps
