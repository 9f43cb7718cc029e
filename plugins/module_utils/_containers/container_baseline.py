# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a container is unchanged since the last run, by one request to its engine.

A run that has compared a container with its declaration saves a baseline: the fingerprint of the
declaration, and that of the container's configuration in the engine. While both are equal, a run
compares nothing else. Every manual change alters the second fingerprint.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from .._host import engine_api

# Limits of HostConfig that no declaration sets; `docker update` sets them on a running container.
# The engine reports 0 or an empty text for one that is not set.
UNSET_LIMITS = (
    *("BlkioWeight", "CpuPeriod", "CpuQuota", "CpuRealtimePeriod", "CpuRealtimeRuntime"),
    *("CpuShares", "CpusetCpus", "CpusetMems", "MemoryReservation", "NanoCpus"),
)

# Configuration of the container; other keys of an inspection are its state.
CONFIGURATION = ("Config", "HostConfig", "Image")


def fingerprint(found: Mapping[str, Any]) -> str:
    """Return 16 hex digits: the fingerprint of a container's configuration."""
    text = json.dumps({key: found.get(key) for key in CONFIGURATION}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def baseline(found: Mapping[str, Any], declared: str) -> str:
    """Return the content of the baseline file."""
    return f"{declared} {fingerprint(found)}\n"


def compare(socket: str, name: str, declared: str, baseline_file: str) -> dict[str, Any]:
    """Return the state of a container, and whether it runs unchanged since its baseline.

    ``declared`` is the fingerprint of the declaration.
    Without an engine or container there is no ``State``, and ``unchanged`` is false. ``altered``
    lists limits that were set by hand.
    """
    found = engine_api.get_json(socket, f"/containers/{name}/json")
    if not isinstance(found, dict):
        return {"unchanged": False, "altered": []}
    running = bool((found.get("State") or {}).get("Running"))
    same = _read(baseline_file) == baseline(found, declared)
    limits = altered_limits(found)
    unchanged = is_up(found) and same and not limits
    return {"State": {"Running": running}, "unchanged": unchanged, "altered": limits}


def altered_limits(found: Mapping[str, Any]) -> list[str]:
    """Return limits that were set by hand; no declaration has them, so no run resets them."""
    limits = found.get("HostConfig") or {}
    return [name for name in UNSET_LIMITS if limits.get(name)]


def is_up(found: Mapping[str, Any]) -> bool:
    """Whether a container runs. A paused one counts as running: no run would change it."""
    state = found.get("State") or {}
    return bool(state.get("Running")) and not state.get("Restarting")


def is_healthy(found: Mapping[str, Any]) -> bool:
    """Whether the last health check of a container succeeded; True without a health check."""
    health = (found.get("State") or {}).get("Health") or {}
    return health.get("Status", "none") in ("healthy", "none")


def save(socket: str, name: str, declared: str, baseline_file: str) -> None:
    """Write the baseline of a container; nothing without a container."""
    found = engine_api.get_json(socket, f"/containers/{name}/json")
    if not isinstance(found, dict):
        return
    os.makedirs(os.path.dirname(baseline_file), mode=0o700, exist_ok=True)
    with open(f"{baseline_file}.new", "w", encoding="ascii") as stream:
        stream.write(baseline(found, declared))
    os.replace(f"{baseline_file}.new", baseline_file)


def _read(baseline_file: str) -> str:
    """Return the baseline; empty when there is none."""
    try:
        with open(baseline_file, encoding="ascii") as stream:
            return stream.read()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
