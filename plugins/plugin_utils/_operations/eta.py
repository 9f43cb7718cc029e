# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How long work with a known amount still takes, and whether it goes on at all."""

from __future__ import annotations

from ...module_utils._common.units import size_text

# Amounts older than this say nothing about the speed of now.
WINDOW = 60.0


class Pace:
    """Remembers what was left at which moment; moments are seconds of one clock."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.total = 0
        self.least: int | None = None
        self.moved = 0.0
        self.points: list[tuple[float, int]] = []

    def note(self, moment: float, left: int) -> None:
        """So many bytes are left now. Growth, as of replicas under load, is no progress."""
        self.total = max(self.total, left)
        if self.least is None or left < self.least:
            self.least, self.moved = left, moment
        self.points = [(at, was) for at, was in self.points if moment - at <= WINDOW]
        self.points.append((moment, left))

    def silence(self, moment: float) -> float:
        """Seconds since there was progress."""
        return moment - self.moved if self.least is not None else 0.0

    def eta(self) -> float | None:
        """Seconds for the rest at the speed of the last minute; None when it stands still."""
        first, last = self.points[0], self.points[-1]
        done, seconds = first[1] - last[1], last[0] - first[0]
        return last[1] * seconds / done if done > 0 and seconds > 0 else None

    def text(self) -> str:
        """For a person: ``1.0 GiB of 4.0 GiB, 3 min left``."""
        left = self.points[-1][1]
        said = f"{size_text(self.total - left)} of {size_text(self.total)}"
        eta = self.eta()
        if not left or eta is None:
            return said
        return f"{said}, {'under a minute' if eta < 60 else f'{eta / 60:.0f} min'} left"
