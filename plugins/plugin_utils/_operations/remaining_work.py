# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How long work with a known amount still takes, and whether it goes on at all."""

from __future__ import annotations

# Seconds. Older amounts say nothing of the present rate: disks and networks change theirs.
WINDOW = 60.0


class RemainingWork:
    """Remembers how much was left at which moment; moments are seconds of one clock."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.total = 0.0
        self.left = 0.0
        self._least: float | None = None
        self._moved = 0.0
        self._points: list[tuple[float, float]] = []

    def note(self, moment: float, left: float) -> None:
        """So much is left now. Growth, as of replicas under load, is no progress."""
        self.total, self.left = max(self.total, left), left
        if self._least is None or left < self._least:
            self._least, self._moved = left, moment
        self._points = [(at, was) for at, was in self._points if moment - at <= WINDOW]
        self._points.append((moment, left))

    def stalled(self, moment: float) -> float:
        """Seconds since there was progress."""
        return moment - self._moved if self._least is not None else 0.0

    def seconds(self) -> float | None:
        """Seconds for the rest at the rate of the window; None when it does not shrink."""
        if not self._points:
            return None
        (first, more), (last, left) = self._points[0], self._points[-1]
        return left * (last - first) / (more - left) if more > left and last > first else None


def duration(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``10 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def about(seconds: float | None) -> str:
    """What follows a sentence on work: ``, about 40 s left``; empty when nobody knows."""
    return "" if seconds is None else f", about {duration(seconds)} left"
