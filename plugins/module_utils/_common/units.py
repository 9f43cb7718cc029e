# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Durations and sizes as people write them, as the numbers that Kafka reads, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MILLISECONDS = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
}
# Single letters as the JVM means them; decimal units as on the label of a disk.
BYTES = {
    "b": 1,
    "k": 2**10,
    "m": 2**20,
    "g": 2**30,
    "t": 2**40,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
# The JVM, Spark and the container engine count in units of 1024 only, whatever the letters.
MEMORY = {
    letter + tail: 1024**power
    for power, letter in enumerate(("", "k", "m", "g", "t"))
    for tail in ("", "b", "ib")
    if letter or tail != "ib"
}
HEAP_WORDS = "a whole number with k, m or g, for example 512m or 4g"
MEMORY_WORDS = "a number with k, m, g or t, for example 1536m or 6g"
WITHOUT_LIMIT = -1
UNLIMITED = {"unlimited", "forever"}
# The JVM takes nothing longer.
HEAP = re.compile(r"\d+[kmgt]?", re.IGNORECASE)
AMOUNT = re.compile(r"(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)")


class UnitError(ValueError):
    """A text is no duration or no size; says what was read and what is allowed."""


def multiplied(text: str, units: Mapping[str, int]) -> float | None:
    """A number times its unit, ``text`` without a unit as it is; None when it is no such text."""
    match = AMOUNT.fullmatch(text)
    unit = match.group(2).lower() if match else ""
    if match is None or (unit and unit not in units):
        return None
    number = float(match.group(1)) if "." in match.group(1) else int(match.group(1))
    return number * units.get(unit, 1)


def amount(value: Any, units: dict[str, int], what: str, example: str) -> int:
    """``value`` times its unit; a number, or a text without unit, is taken as it is.

    ``unlimited``, ``forever`` and -1 give -1, which is how Kafka writes "without limit".
    """
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise UnitError(f"{value!r} is no {what}; write it like {example}")
    text = str(value).strip()
    if text.lower() in UNLIMITED:
        return WITHOUT_LIMIT
    total = multiplied(text, units)
    if total is None:
        allowed = ", ".join(units)
        raise UnitError(f"{value!r} is no {what}; write it like {example}; units: {allowed}")
    if total < 0 and total != WITHOUT_LIMIT:
        raise UnitError(f"{value!r} is no {what}: it is negative; unlimited is written -1")
    if total != int(total):
        raise UnitError(f"{value!r} is no {what}: it is no whole number of the smallest unit")
    return int(total)


def duration_ms(value: Any) -> int:
    """Milliseconds of a duration such as ``7d``, ``1.5h``, ``500ms`` or a number of milliseconds.

    Raises UnitError when it cannot be read.
    """
    return amount(value, MILLISECONDS, "duration", "7d or 36h")


def size_bytes(value: Any) -> int:
    """Bytes of a size such as ``10GB`` (10^10), ``512MiB`` (2^29) or a number of bytes.

    Raises UnitError when it cannot be read.
    """
    return amount(value, BYTES, "size", "10GB or 512MiB")


def memory_bytes(value: object) -> int | None:
    """Bytes of a limit of memory such as 1536m or 6GiB; None when it is no size."""
    total = multiplied(str(value).strip(), MEMORY)
    return None if total is None or total < 0 else int(total)


def heap_bytes(value: object) -> int | None:
    """Bytes of a JVM's size such as 512m; None when the JVM would not understand it."""
    return memory_bytes(value) if HEAP.fullmatch(str(value)) else None


def size_text(number: float) -> str:
    """Bytes for people: ``1.5 GiB``, ``512 MiB``; decimals from GiB on."""
    figure = float(number)
    for unit in ("B", "KiB", "MiB"):
        if figure < 1024:
            return f"{figure:.0f} {unit}"
        figure /= 1024
    return f"{figure:.1f} GiB" if figure < 1024 else f"{figure / 1024:.1f} TiB"
