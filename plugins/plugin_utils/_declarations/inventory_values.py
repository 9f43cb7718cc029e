# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and booleans in values of inventories and templates; sizes are in units.py."""

from __future__ import annotations

import re

# Texts for true that Ansible and this project read, and all texts that Ansible reads as a boolean.
TRUE = {"true", "yes", "on", "1"}
BOOLEANS = {*TRUE, "t", "y", "false", "no", "off", "0", "f", "n"}


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
    return str(value).strip().lower() in TRUE


def is_boolean(value: object) -> bool:
    """Whether Ansible reads a value as true or false."""
    return str(value).strip().lower() in BOOLEANS
