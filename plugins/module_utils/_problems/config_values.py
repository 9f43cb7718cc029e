# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values of configuration keys of topics and brokers, and their comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

# Integer types in DescribeConfigs.
NUMBERS = {"INT", "SHORT", "LONG"}
# librdkafka does not return the types of keys.
UNKNOWN = ""


@dataclass(frozen=True)
class Value:
    """The value of a key as text, and Kafka's name of its type."""

    text: str
    kind: str = "STRING"


def are_equal(value: Value, spec: str) -> bool:
    """Whether both texts are the same value for Kafka: 1e0 is 1.0, lists have no order.

    Texts of an unknown type are the same if they are for one of the types.
    """
    if value.kind == UNKNOWN:
        kinds = ("LONG", "DOUBLE", "BOOLEAN", "LIST")
        return any(are_equal(Value(value.text, kind), spec) for kind in kinds)
    if value.kind == "BOOLEAN":
        return value.text.strip().lower() == spec.strip().lower()
    if value.kind == "LIST":
        return list_elements(value.text) == list_elements(spec)
    try:
        if value.kind in NUMBERS:
            return int(value.text) == int(spec)
        if value.kind == "DOUBLE":
            return float(value.text) == float(spec)
    except ValueError:
        return False
    return value.text == spec


def list_elements(text: str) -> set[str]:
    """Return the elements of a comma-separated list."""
    return {part.strip() for part in text.split(",") if part.strip()}


def changed_keys(
    current: Mapping[str, Value], declared: Mapping[str, str], defaults: Collection[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return declared keys that have another value, with the declared one, and keys to reset.

    ``current`` are the keys that are set; ``defaults`` are keys that must not be set.
    """
    changed = {
        key: text
        for key, text in declared.items()
        if key not in current or not are_equal(current[key], text)
    }
    return changed, tuple(sorted(set(defaults) & current.keys()))
