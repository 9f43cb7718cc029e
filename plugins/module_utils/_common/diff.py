# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Differences between two texts or values, as messages for a plan; secrets are never shown."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from .properties_file import from_properties

# Neither old nor new values of such keys may reach a terminal or a log.
SECRET = re.compile(
    r"passw|secret|token|jaas|credential|private|keystore\.key|certificate\.chain|_key\b|api.?key",
    re.IGNORECASE,
)
HIDDEN = "(hidden)"
NOT_SET = "(not set)"
# Characters; longer values are cut.
LONGEST = 120

PROPERTIES = (".properties", ".cfg")


def format_value(key: str, value: Any) -> str:
    """Return ``value`` as a plan may print it; None means that the key is not set."""
    if value is None:
        return NOT_SET
    if SECRET.search(key):
        return HIDDEN
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def format_change(key: str, before: Any, after: Any) -> str:
    """``key before -> after``."""
    return f"{key} {format_value(key, before)} -> {format_value(key, after)}"


def key_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """One ``key before -> after`` for each key whose value differs, sorted by key."""
    return [
        format_change(key, before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]


def line_changes(before: str, after: str) -> str:
    """Return the number of removed and added lines, for a file that is not a list of keys."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    gone = sum(line.startswith("- ") for line in lines)
    new = sum(line.startswith("+ ") for line in lines)
    return f"lines -{gone} +{new}"


def file_steps(name: str, before: str | None, after: str) -> list[str]:
    """Return messages on a change of the file ``name``; one per key for a properties file.

    ``before`` is None when the file does not exist. Equal texts give no message.
    """
    if before is None:
        return [f"{name} is written"]
    if before == after:
        return []
    if not name.endswith(PROPERTIES):
        return [f"{name}: {line_changes(before, after)}"]
    changes = key_changes(from_properties(before), from_properties(after))
    if not changes:
        return [f"{name}: the same keys and values in another form"]
    return [f"{name}: {each}" for each in changes]
