# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Convert between topics and the requests and responses of kafka-python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.snapshot import NO_BROKER
from .topic_model import Configure, Spec

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.errors import for_code

TOPIC_EXISTS = 36
REQUEST_TIMED_OUT = 7
# Changes of keys or partition counts in one request; brokers apply them one by one.
CHANGES = 100


def read_placement(parts: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Return the brokers of each partition, in the order of partitions."""
    ordered = sorted(parts, key=lambda part: int(part["partition_index"]))
    return tuple(tuple(part["replica_nodes"]) for part in ordered)


def count_leaders(topic: Mapping[str, Any] | None) -> int:
    """Return the number of partitions with a leader; 0 for a missing topic."""
    return sum(part["leader_id"] != NO_BROKER for part in topic["partitions"]) if topic else 0


def config_changes(step: Configure) -> dict[str, Any]:
    """Return changed keys in the form of kafka-python: values to set, and keys to delete."""
    return {**step.config, **dict.fromkeys(step.reset, ("DELETE", None))}


def expected_spec(step: Configure) -> Spec:
    """Return the spec that holds after a change of keys."""
    return Spec(step.topic, config=step.config, defaults=frozenset(step.reset))


def creation_parameters(spec: Spec) -> dict[str, Any]:
    """Return the partition parameters of a request that creates a topic."""
    if spec.placement:
        return {"assignments": {at: list(brokers) for at, brokers in enumerate(spec.placement)}}
    return {
        "num_partitions": spec.partitions or -1,
        "replication_factor": spec.replication_factor or -1,
    }


def refusals(responses: Iterable[Mapping[str, Any]], reached: int = TOPIC_EXISTS) -> dict[str, str]:
    """Return Kafka's errors by topic.

    Two codes are no errors: ``reached`` (another client already did it; the next read compares
    the result) and a timeout of the request (the caller waits for the result afterwards).
    """
    return {
        each["name"]: each["error_message"] or for_code(each["error_code"]).__name__
        for each in responses
        if each["error_code"] not in (0, reached, REQUEST_TIMED_OUT)
    }


def split_into_requests(steps: Sequence[Any]) -> list[Sequence[Any]]:
    """Return ``steps`` in portions of one request each."""
    return [steps[start : start + CHANGES] for start in range(0, len(steps), CHANGES)]
