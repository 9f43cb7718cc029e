"""Spread and comparison of rounds. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Iterable, Optional


@dataclass(frozen=True)
class Spread:
    """Minimum, median and maximum of several rounds."""

    low: float
    middle: float
    high: float
    rounds: int

    @property
    def width(self) -> float:
        """The range of the rounds as a share of the median."""
        return (self.high - self.low) / self.middle if self.middle else 0.0


def spread(values: Iterable[float]) -> Optional[Spread]:
    """Return the spread of ``values``, or None without values."""
    found = list(values)
    if not found:
        return None
    return Spread(min(found), median(found), max(found), len(found))


def ratio(part: Optional[Spread], whole: Optional[Spread]) -> Optional[float]:
    """Return the ratio of two medians."""
    if part is None or whole is None or not whole.middle:
        return None
    return part.middle / whole.middle


def overlap(one: Spread, other: Spread) -> bool:
    """Whether the ranges of two spreads overlap."""
    return one.low <= other.high and other.low <= one.high


# Fewer rounds are not comparable: two ranges of one value each never overlap.
MIN_ROUNDS = 3


def effect(before: Optional[Spread], after: Optional[Spread]) -> str:
    """Return the change between two values of a knob as text.

    A change is reported only if the ranges of all rounds do not overlap.
    """
    if before is None or after is None:
        return "not measured"
    if min(before.rounds, after.rounds) < MIN_ROUNDS:
        return f"too few rounds ({min(before.rounds, after.rounds)})"
    if overlap(before, after):
        return "no measurable effect here"
    return f"{(after.middle / before.middle - 1) * 100:+.0f} %"
