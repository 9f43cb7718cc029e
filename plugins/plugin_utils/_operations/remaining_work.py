# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Remaining time and progress of work whose amount is known."""

from __future__ import annotations

# Seconds over which the rate is measured: rates of disks and networks change.
WINDOW = 60.0


class RemainingWork:
    """Observations of the remaining amount over time; moments are seconds of one clock."""

    def __init__(self) -> None:
        """Start without observations."""
        self.total = 0.0
        self.left = 0.0
        self._least: float | None = None
        self._moved = 0.0
        self._points: list[tuple[float, float]] = []

    def note(self, moment: float, left: float) -> None:
        """Add an observation. The remaining amount may grow under load, which is no progress."""
        self.total, self.left = max(self.total, left), left
        if self._least is None or left < self._least:
            self._least, self._moved = left, moment
        self._points = [(at, was) for at, was in self._points if moment - at <= WINDOW]
        self._points.append((moment, left))

    def stalled(self, moment: float) -> float:
        """Seconds since the last progress."""
        return moment - self._moved if self._least is not None else 0.0

    def seconds(self) -> float | None:
        """Remaining seconds at the rate of the window; None if the amount does not shrink."""
        if not self._points:
            return None
        (first, more), (last, left) = self._points[0], self._points[-1]
        return left * (last - first) / (more - left) if more > left and last > first else None


def format_duration(seconds: float) -> str:
    """Text of a duration: ``40 s``, ``10 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def clock(seconds: float) -> str:
    """Text of a time since the start: ``4:12``, ``1:04:12``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def remaining_suffix(seconds: float | None) -> str:
    """Suffix of a message, such as ``, about 40 s left``; empty if the time is unknown."""
    return "" if seconds is None else f", about {format_duration(seconds)} left"
