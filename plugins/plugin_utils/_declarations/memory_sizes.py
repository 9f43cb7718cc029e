# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes of memory and numbers as people write them in an inventory (others: units.py)."""

from __future__ import annotations

import re

_POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}

# The JVM, Spark and Docker share these words: 512m, 4g. The JVM takes nothing longer.
_HEAP = re.compile(r"(\d+)([kmgt]?)", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kmgt]?)i?b?", re.IGNORECASE)

HEAP_WORDS = "a whole number with k, m or g, for example 512m or 4g"
MEMORY_WORDS = "a number with k, m, g or t, for example 1536m or 6g"


def heap_bytes(value: object) -> int | None:
    """Bytes of a JVM size such as 512m; None when the JVM would not understand it."""
    match = _HEAP.fullmatch(str(value))
    return int(match[1]) * 1024 ** _POWERS[match[2].lower()] if match else None


def memory_bytes(value: object) -> int | None:
    """Bytes of a size such as 1536m or 6GiB, units of 1024; None when it is no size."""
    match = _SIZE.fullmatch(str(value).strip())
    return int(float(match[1]) * 1024 ** _POWERS[match[2].lower()]) if match else None


def whole_number(value: object) -> int | None:
    """The integer that ``value`` is or spells, as templates return both; None otherwise."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int(value)
    text = str(value).strip()
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def is_true(value: object) -> bool:
    """Whether a switch is on; values given on a command line are text."""
    return str(value).strip().lower() in {"true", "yes", "on", "1"}


def kind_of(value: object) -> str:
    """What a value is; the classes of Ansible's own values derive from Python's."""
    kinds = {list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return next((kind for of, kind in kinds.items() if isinstance(value, of)), "nothing")
