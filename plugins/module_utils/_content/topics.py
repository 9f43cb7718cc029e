# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan topic changes from the current to the desired state; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._common.properties_file import PropertyError, as_text
from .._problems.config_values import changed_keys
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
    format_alternatives,
)

INTERNAL_PREFIX = "__"


def parse_specs(topics: Mapping[str, Mapping[str, Any]]) -> list[Spec]:
    """Return the specs of the module's parameters; a config value of None resets the key.

    Raises TopicError for values that cannot be written as a Kafka setting.
    """
    specs, errors = [], []
    for name in sorted(topics):
        declared = topics[name] or {}
        try:
            config = {
                str(key): as_text(f"topic {name}: {key}", value)
                for key, value in (declared.get("config") or {}).items()
                if value is not None
            }
        except PropertyError as error:
            errors.append(str(error))
            continue
        partitions, replication = declared.get("partitions"), declared.get("replication_factor")
        placement = tuple(tuple(brokers) for brokers in declared.get("placement") or ())
        if placement:
            partitions, replication = len(placement), len(placement[0])
        defaults = frozenset(str(key) for key in declared.get("config") or {}) - config.keys()
        specs.append(Spec(name, partitions, replication, config, placement, defaults))
    if errors:
        raise TopicError(errors)
    return specs


def is_misplaced(current: Topic, spec: Spec) -> bool:
    """Whether replicas of an existing topic have to move."""
    if spec.placement:
        return current.placement != spec.placement[: current.partitions]
    return bool(spec.replication_factor) and current.replicas != {spec.replication_factor}


def plan(current: Topic | None, spec: Spec, moves: bool = False) -> list[Step]:
    """Return the steps from ``current`` to ``spec``.

    Raises TopicError for fewer partitions, and, without ``moves``, for replicas that have to move.
    """
    if current is None:
        return [Create(spec)]
    steps: list[Step] = []
    if spec.partitions and spec.partitions < current.partitions:
        raise TopicError(
            [
                f"topic {spec.name}: {spec.partitions} partitions are declared, "
                f"it has {current.partitions}; Kafka cannot remove partitions"
            ]
        )
    if is_misplaced(current, spec):
        if not moves:
            raise TopicError([_unmoved(current, spec)])
        steps.append(Move(spec.name, current.replicas, spec))
    if spec.partitions and spec.partitions > current.partitions:
        new = spec.placement[current.partitions :]
        steps.append(Grow(spec.name, current.partitions, spec.partitions, new))
    changes, reset = changed_keys(current.config, spec.config, spec.defaults)
    if changes or reset:
        touched = (*changes, *reset)
        before = {key: current.config[key].text for key in touched if key in current.config}
        steps.append(Configure(spec.name, before, changes, reset))
    return steps


def unmanaged_config(current: Topic, spec: Spec) -> dict[str, str]:
    """Return the undeclared keys that are set on the topic, with their values."""
    known = {*spec.config, *spec.defaults}
    return {key: current.config[key].text for key in sorted(current.config) if key not in known}


def _unmoved(current: Topic, spec: Spec) -> str:
    if spec.placement:
        return (
            f"topic {spec.name}: its replicas are on other brokers than declared; "
            "moving them copies data and is not done here"
        )
    return (
        f"topic {spec.name}: replication factor {spec.replication_factor} is declared, "
        f"it has {format_alternatives(current.replicas)}; "
        "changing it copies data and is not done here"
    )


def plan_absent(
    current: Mapping[str, Topic], absent: Iterable[str], confirmed: Iterable[str]
) -> list[Step]:
    """Return deletions of the existing topics in ``absent``.

    Raises TopicError for unconfirmed topics and for Kafka's internal ones.
    """
    approved = set(confirmed)
    steps: list[Step] = []
    errors = []
    unconfirmed = set()
    for name in sorted(set(absent)):
        if name.startswith(INTERNAL_PREFIX):
            errors.append(f"topic {name}: is internal to Kafka and is never deleted")
        elif name in current and name not in approved:
            unconfirmed.add(name)
            errors.append(
                f"topic {name}: its deletion with {current[name].partitions} partitions is not "
                "confirmed by confirm_delete"
            )
        elif name in current:
            steps.append(Delete(name, current[name].partitions))
    if errors:
        raise TopicError(errors, unconfirmed)
    return steps


def plan_all(
    current: Mapping[str, Topic],
    specs: Iterable[Spec],
    absent: Iterable[str] = (),
    confirmed: Iterable[str] = (),
    moves: bool = False,
) -> list[Step]:
    """Return the steps for all specs; raises one TopicError with all errors."""
    steps: list[Step] = []
    errors: list[str] = []
    unconfirmed: frozenset[str] = frozenset()
    gone = set(absent)
    for spec in specs:
        try:
            steps += plan(current.get(spec.name), spec, moves)
        except TopicError as error:
            errors += error.messages
        if spec.name in gone:
            errors.append(f"topic {spec.name}: is declared and under absent")
    try:
        steps += plan_absent(current, gone, confirmed)
    except TopicError as error:
        errors += error.messages
        unconfirmed = error.unconfirmed
    if errors:
        raise TopicError(errors, unconfirmed)
    return steps
