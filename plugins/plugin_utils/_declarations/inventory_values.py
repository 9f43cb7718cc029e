# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and booleans in values of inventories and templates; sizes are in units.py."""

from __future__ import annotations

import re


def whole_number(value: object) -> int | None:
    """The integer of a number or a text, since templates return both; None otherwise."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int(value)
    text = str(value).strip()
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def is_true(value: object) -> bool:
    """Whether a value is true; values from the command line are texts."""
    return str(value).strip().lower() in {"true", "yes", "on", "1"}
