# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of durations and sizes between text with units and the numbers that Kafka reads."""

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
# Single letters are powers of 1024, as in JVM options; KB and so on are decimal, as on disk labels.
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
HEAP_FORMAT = "a whole number with k, m or g, for example 512m or 4g"
MEMORY_FORMAT = "a number with k, m, g or t, for example 1536m or 6g"
WITHOUT_LIMIT = -1
UNLIMITED = {"unlimited", "forever"}
# The JVM accepts no longer units.
HEAP = re.compile(r"\d+[kmgt]?", re.IGNORECASE)
AMOUNT = re.compile(r"(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)")


class UnitError(ValueError):
    """A text is not a duration or a size; names what was found and what is allowed."""


def multiply_by_unit(text: str, units: Mapping[str, int]) -> float | None:
    """Return a number times its unit (1 if there is none); None when ``text`` is no amount."""
    match = AMOUNT.fullmatch(text)
    unit = match.group(2).lower() if match else ""
    if match is None or (unit and unit not in units):
        return None
    number = float(match.group(1)) if "." in match.group(1) else int(match.group(1))
    return number * units.get(unit, 1)


def parse_amount(value: Any, units: dict[str, int], what: str, example: str) -> int:
    """Return ``value`` times its unit; a number, or a text without unit, is not converted.

    ``unlimited``, ``forever`` and -1 give -1, which Kafka reads as "without limit".
    """
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise UnitError(f"{value!r} is not a {what}; write it like {example}")
    text = str(value).strip()
    if text.lower() in UNLIMITED:
        return WITHOUT_LIMIT
    total = multiply_by_unit(text, units)
    if total is None:
        allowed = ", ".join(units)
        raise UnitError(f"{value!r} is not a {what}; write it like {example}; units: {allowed}")
    if total < 0 and total != WITHOUT_LIMIT:
        raise UnitError(f"{value!r} is not a {what}: it is negative; write -1 for unlimited")
    if total != int(total):
        smallest = "ms" if units is MILLISECONDS else "bytes"
        raise UnitError(
            f"{value!r} is not a {what}: it must be a whole number of {smallest}, like {example}"
        )
    return int(total)


def duration_ms(value: Any) -> int:
    """Return milliseconds of a duration such as ``7d``, ``1.5h``, ``500ms`` or a plain number.

    Raises UnitError when it cannot be read.
    """
    return parse_amount(value, MILLISECONDS, "duration", "7d or 36h")


def size_bytes(value: Any) -> int:
    """Return bytes of a size such as ``10GB`` (10^10), ``512MiB`` (2^29) or a plain number.

    Raises UnitError when it cannot be read.
    """
    return parse_amount(value, BYTES, "size", "10GB or 512MiB")


def memory_bytes(value: object) -> int | None:
    """Return bytes of a memory limit such as 1536m or 6GiB; None when it is not a size."""
    total = multiply_by_unit(str(value).strip(), MEMORY)
    return None if total is None or total < 0 else int(total)


def heap_bytes(value: object) -> int | None:
    """Return bytes of a heap size such as 512m; None when the JVM would reject it."""
    return memory_bytes(value) if HEAP.fullmatch(str(value)) else None


def size_text(number: float) -> str:
    """Return bytes as text, such as ``1.5 GiB`` or ``512 MiB``; decimals from GiB on."""
    value = float(number)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB" if value < 1024 else f"{value / 1024:.1f} TiB"
