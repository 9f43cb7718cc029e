# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What brokers answer about topics, as plain values, and requests within their limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.snapshot import NOBODY
from .topic_model import Configure, Spec

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.errors import for_code

TOPIC_EXISTS = 36
REQUEST_TIMED_OUT = 7
# Changes of keys and partition counts in one request; the broker does them one by one.
CHANGES = 100


def placement_of(parts: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Brokers of each partition, in the order of partitions."""
    ordered = sorted(parts, key=lambda part: int(part["partition_index"]))
    return tuple(tuple(part["replica_nodes"]) for part in ordered)


def leaders_of(topic: Mapping[str, Any] | None) -> int:
    """Number of partitions with a leader; 0 for a topic that is not there yet."""
    return sum(part["leader_id"] != NOBODY for part in topic["partitions"]) if topic else 0


def changes_of(step: Configure) -> dict[str, Any]:
    """Keys of a topic as the client library changes them: some set, some deleted."""
    return {**step.config, **dict.fromkeys(step.reset, ("DELETE", None))}


def wanted_of(step: Configure) -> Spec:
    """What a change of keys is to have led to."""
    return Spec(step.topic, config=step.config, defaults=frozenset(step.reset))


def numbers_of(spec: Spec) -> dict[str, Any]:
    """What Kafka is told of the partitions of a new topic."""
    if spec.placement:
        return {"assignments": {at: list(brokers) for at, brokers in enumerate(spec.placement)}}
    return {
        "num_partitions": spec.partitions or -1,
        "replication_factor": spec.replication_factor or -1,
    }


def refusals(answers: Iterable[Mapping[str, Any]], reached: int = TOPIC_EXISTS) -> dict[str, str]:
    """Kafka's refusals by topic.

    No refusal is what somebody else has ``reached`` meanwhile (the next look compares it), nor a
    request that takes the broker longer than asked (the wait that follows sees it through).
    """
    return {
        answer["name"]: answer["error_message"] or for_code(answer["error_code"]).__name__
        for answer in answers
        if answer["error_code"] not in (0, reached, REQUEST_TIMED_OUT)
    }


def portions(steps: Sequence[Any]) -> list[Sequence[Any]]:
    """``steps`` in groups that one request can carry."""
    return [steps[start : start + CHANGES] for start in range(0, len(steps), CHANGES)]
