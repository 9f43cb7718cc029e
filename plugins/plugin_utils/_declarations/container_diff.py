# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A container against its declaration: what to do with it, and how two declarations differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Of the declaration's making, not of its maker: they differ because something else does.
DERIVED = {"labels"}


def service_state(
    container: Mapping[str, Any], differs: Sequence[str], files: Sequence[str]
) -> str:
    """What a container is to its declaration, and with that, what has to happen.

    ``container`` is the engine's answer, empty when there is none; ``differs`` are keys of it and
    ``files`` paths that are not as declared. absent: start it at once, it serves nobody. stale: it
    has to restart. drifted: its files have to be written. current: nothing.
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
    """Keys that are new, gone or have another value, in order."""
    return sorted(
        key
        for key in new.keys() | old.keys()
        if (key in new, new.get(key)) != (key in old, old.get(key))
    )


def declaration_differences(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """Names of what differs between two declarations with ``definition`` and ``files``.

    Keys without values: a value may be a password.
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
