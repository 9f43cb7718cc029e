# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Durations of the plays of a run, as text and as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Steps:
    """Plays of one run with their durations. Times are in seconds since the epoch."""

    def __init__(self) -> None:
        """Start without plays."""
        self.plays: list[dict[str, Any]] = []
        self.begun: list[float] = []

    def begin(self, name: str, now: float) -> None:
        """Begin a play and end the previous one; the batches of a serial play are one step."""
        self.end(now)
        if self.plays and self.plays[-1]["name"] == name:
            self.plays[-1]["batches"] += 1
            return
        empty = {"seconds": 0.0, "batches": 1, "tasks": 0, "changed": 0, "failed": 0}
        self.plays.append({"name": name, **empty})
        self.begun.append(now)

    def end(self, now: float) -> None:
        """End the current play."""
        if self.plays:
            self.plays[-1]["seconds"] = round(now - self.begun[-1], 1)

    def count(self, what: str) -> None:
        """Count one more of ``tasks``, ``changed`` or ``failed`` in the current play."""
        if self.plays:
            self.plays[-1][what] += 1

    def report(
        self, cluster: str, now: float, typical: Mapping[str, float] | None = None
    ) -> dict[str, Any]:
        """End the last play and return the run as data; ``typical`` is that of earlier runs."""
        self.end(now)
        started = self.begun[0] if self.begun else now
        return {
            "cluster": cluster,
            "started": round(started, 3),
            "seconds": round(now - started, 1),
            "plays": self.plays,
            "typical": {**(typical or {}), **self.typical()},
        }

    def typical(self) -> dict[str, float]:
        """Seconds of one batch of each play with changes and without failures."""
        return {
            play["name"]: round(play["seconds"] / play["batches"], 1)
            for play in self.plays
            if play["changed"] and not play["failed"]
        }

    def lines(self) -> list[str]:
        """Return one line for each play, with aligned seconds."""
        width = max((len(play["name"]) for play in self.plays), default=0)
        return [
            f"{play['name']:<{width}}  {play['seconds']:>7.1f} s"
            + (f"  changed={play['changed']}" if play["changed"] else "")
            + (f"  failed={play['failed']}" if play["failed"] else "")
            for play in self.plays
        ]


def read(path: Path) -> dict[str, Any]:
    """Return the report of the last run; empty if there is no readable one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def typical_durations(report: Mapping[str, Any]) -> dict[str, float]:
    """Measured seconds of a batch, by play, from the last run that changed each play's hosts."""
    found = report.get("typical")
    if not isinstance(found, Mapping):
        return {}
    return {str(k): float(v) for k, v in found.items() if isinstance(v, (int, float))}
