# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of JSON that another program serves; no I/O.

Any program may listen on a port. A response with a fault counts as no response, so screens and
metrics need not check types. ``place`` is the prefix of a value's name in messages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

# Characters of a value in a message.
LONGEST = 60
# Of a number in metrics.
LARGEST = sys.float_info.max
OBJECT = "an object of JSON"
LIST = "a list of objects of JSON"

# The place of an invalid value, the value, and what is allowed.
Fault = tuple[str, object, str]


def first_fault(faults: Iterable[Fault]) -> str:
    """Return the first fault as text; empty without faults."""
    for where, found, allowed in faults:
        text = "nothing" if found is None else repr(found)
        return f"{where}: found {text[:LONGEST]}; allowed: {allowed}"
    return ""


def texts(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield a fault for each value that is absent, or no text."""
    for name in names:
        if not isinstance(found.get(name), str):
            yield f"{place}{name}", found.get(name), "a text"


def numbers(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield a fault for each value that is neither absent nor a number."""
    for name in names:
        if found.get(name) is not None:
            yield from required_numbers(found, place, name)


def required_numbers(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield a fault for each value that is absent, or no number.

    NaN, infinity and integers that exceed a float are no numbers: metrics are floats.
    """
    for name in names:
        value = found.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # A comparison is exact for integers of any size, and false for NaN.
        if not is_number or not -LARGEST <= value <= LARGEST:  # type: ignore[operator]
            yield f"{place}{name}", value, "a number"


def times(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield a fault for each value that is neither absent nor a time of ISO 8601."""
    for name in names:
        value = found.get(name)
        try:
            if value is not None:
                datetime.fromisoformat(value).timestamp()  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            yield f"{place}{name}", value, "a time of ISO 8601"


def objects(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield a fault for each value that is neither absent nor a list of objects."""
    for name in names:
        value = found.get(name)
        if value is not None and not (
            isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
        ):
            yield f"{place}{name}", value, LIST
