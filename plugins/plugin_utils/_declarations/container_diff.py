# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of a container with its declaration, and of two declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Keys derived from other keys, which are reported themselves.
DERIVED = {"labels"}


def service_state(
    container: Mapping[str, Any], differs: Sequence[str], files: Sequence[str]
) -> str:
    """Return the state of a container compared with its declaration.

    ``container`` is the engine's result, empty if there is none; ``differs`` are its keys and
    ``files`` the paths that are not as declared. absent: it is not running and can start at once.
    stale: it must restart. drifted: its files must be written. current: no change.
    """
    if not container.get("State", {}).get("Running"):
        return "absent"
    if differs:
        return "stale"
    return "drifted" if files else "current"


def lines_by_key(text: str) -> dict[str, str]:
    """Settings of a file of ``key=value`` lines; a line without ``=`` is its own key."""
    found = {}
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip() and not key.lstrip().startswith("#"):
            found[key.strip()] = value.strip()
    return found


def changed_keys(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """Sorted keys that were added, removed or changed."""
    return sorted(
        key
        for key in new.keys() | old.keys()
        if (key in new, new.get(key)) != (key in old, old.get(key))
    )


def declaration_differences(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """Keys and files that differ between two declarations with ``definition`` and ``files``.

    Without values, which may be passwords.
    """
    found = [
        key for key in changed_keys(new["definition"], old["definition"]) if key not in DERIVED
    ]
    files_new = {entry["name"]: entry["content"] for entry in new["files"]}
    files_old = {entry["name"]: entry["content"] for entry in old["files"]}
    for name in changed_keys(files_new, files_old):
        keys = changed_keys(
            lines_by_key(files_new.get(name, "")), lines_by_key(files_old.get(name, ""))
        )
        found.append(f"{name}: {', '.join(keys)}" if keys else name)
    return found
