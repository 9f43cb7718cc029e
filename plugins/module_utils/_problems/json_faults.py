# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with JSON that another program serves; no I/O.

Other programs may listen on a port. What screens and metrics read has the right type, or the
response counts as none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

# Characters of a value in a message.
LONGEST = 60
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
    """Yield values that are absent, or no text."""
    for name in names:
        if not isinstance(found.get(name), str):
            yield f"{place}{name}", found.get(name), "a text"


def numbers(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield values that are neither absent nor numbers."""
    for name in names:
        if found.get(name) is not None:
            yield from required_numbers(found, place, name)


def required_numbers(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield values that are no numbers, or that metrics cannot have: NaN, and the largest ones."""
    for name in names:
        value = found.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        # Exact for integers of any size.
        if not number or not -sys.float_info.max <= value <= sys.float_info.max:  # type: ignore[operator]
            yield f"{place}{name}", value, "a number"


def times(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield values that are neither absent nor times of ISO 8601."""
    for name in names:
        value = found.get(name)
        try:
            if value is not None:
                datetime.fromisoformat(value).timestamp()  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            yield f"{place}{name}", value, "a time of ISO 8601"


def objects(found: Mapping[str, object], place: str, *names: str) -> Iterator[Fault]:
    """Yield values that are neither absent nor lists of objects."""
    for name in names:
        value = found.get(name)
        if value is not None and not (
            isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
        ):
            yield f"{place}{name}", value, LIST
