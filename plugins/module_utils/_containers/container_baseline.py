# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a container is as a run of ours has left it, in one question to its engine.

A long comparison of a container with its declaration ends in a note: the fingerprint of the
declaration, and that of everything the engine was told of the container. While both are the same
nothing has to be compared again, and whatever somebody changes by hand changes the second one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from .._host import engine_api

# Limits of HostConfig that we never set, and that `docker update` changes on a running container.
# The engine says 0 or an empty text for one that is not set.
UNSET_LIMITS = (
    *("BlkioWeight", "CpuPeriod", "CpuQuota", "CpuRealtimePeriod", "CpuRealtimeRuntime"),
    *("CpuShares", "CpusetCpus", "CpusetMems", "MemoryReservation", "NanoCpus"),
)

# What the engine was told; the rest of its answer is what became of it.
TOLD = ("Config", "HostConfig", "Image")


def fingerprint(found: Mapping[str, Any]) -> str:
    """16 hex digits of all that the engine was told of a container."""
    text = json.dumps({key: found.get(key) for key in TOLD}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def note(found: Mapping[str, Any], declared: str) -> str:
    """What is kept of a container that is as it was declared."""
    return f"{declared} {fingerprint(found)}\n"


def look(socket: str, name: str, declared: str, kept: str) -> dict[str, Any]:
    """State of a container, and whether it runs as it was left with this declaration.

    ``declared`` is the fingerprint of the declaration, ``kept`` the file of the note. Without an
    engine, or without this container, there is no state and it does not. ``altered``: limits that
    were set by hand.
    """
    found = engine_api.ask(socket, f"/containers/{name}/json")
    if not isinstance(found, dict):
        return {"unchanged": False, "altered": []}
    running = bool((found.get("State") or {}).get("Running"))
    same = _read(kept) == note(found, declared)
    limits = altered(found)
    unchanged = serves(found) and same and not limits
    return {"State": {"Running": running}, "unchanged": unchanged, "altered": limits}


def altered(found: Mapping[str, Any]) -> list[str]:
    """Limits that somebody has set by hand: no declaration has them, so none takes them back."""
    limits = found.get("HostConfig") or {}
    return [name for name in UNSET_LIMITS if limits.get(name)]


def serves(found: Mapping[str, Any]) -> bool:
    """Whether a container runs. One that somebody paused does: no run of ours would touch it."""
    state = found.get("State") or {}
    return bool(state.get("Running")) and not state.get("Restarting")


def keep(socket: str, name: str, declared: str, kept: str) -> None:
    """Write down how a container is."""
    found = engine_api.ask(socket, f"/containers/{name}/json")
    if not isinstance(found, dict):
        return
    os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
    with open(f"{kept}.new", "w", encoding="ascii") as stream:
        stream.write(note(found, declared))
    os.replace(f"{kept}.new", kept)


def _read(path: str) -> str:
    """The note; empty when there is none."""
    try:
        with open(path, encoding="ascii") as stream:
            return stream.read()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
