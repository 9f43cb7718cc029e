# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values of Kafka's configuration keys, of topics and of brokers, and when two are the same."""

from __future__ import annotations

from dataclasses import dataclass

# Kafka's own types of a key, as DescribeConfigs tells them.
NUMBERS = {"INT", "SHORT", "LONG"}


@dataclass(frozen=True)
class Value:
    """The value of a key as Kafka keeps it, and Kafka's name of its type."""

    text: str
    kind: str = "STRING"


def same(value: Value, spec: str) -> bool:
    """Whether Kafka would read both texts as one value: 1e0 is 1.0, the order of a list is none."""
    if value.kind == "BOOLEAN":
        return value.text.strip().lower() == spec.strip().lower()
    if value.kind == "LIST":
        return elements(value.text) == elements(spec)
    try:
        if value.kind in NUMBERS:
            return int(value.text) == int(spec)
        if value.kind == "DOUBLE":
            return float(value.text) == float(spec)
    except ValueError:
        return False
    return value.text == spec


def elements(text: str) -> set[str]:
    """The parts of a list that is written with commas."""
    return {part.strip() for part in text.split(",") if part.strip()}
