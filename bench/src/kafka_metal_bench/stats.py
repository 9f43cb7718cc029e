"""Spread and comparison of rounds. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Iterable, Optional


@dataclass(frozen=True)
class Spread:
    """Smallest, middle and largest of several rounds."""

    low: float
    middle: float
    high: float
    rounds: int

    @property
    def width(self) -> float:
        """How far the rounds lie apart, as a share of the middle."""
        return (self.high - self.low) / self.middle if self.middle else 0.0


def spread(values: Iterable[float]) -> Optional[Spread]:
    """The spread of ``values``, or None when there are none."""
    found = list(values)
    if not found:
        return None
    return Spread(min(found), median(found), max(found), len(found))


def ratio(part: Optional[Spread], whole: Optional[Spread]) -> Optional[float]:
    """The middle of one as a multiple of the middle of the other."""
    if part is None or whole is None or not whole.middle:
        return None
    return part.middle / whole.middle


def overlap(one: Spread, other: Spread) -> bool:
    """Whether some round of one is as good as some round of the other, either way."""
    return one.low <= other.high and other.low <= one.high


# Fewer rounds than this tell nothing: two ranges of one value each never overlap.
ENOUGH = 3


def effect(before: Optional[Spread], after: Optional[Spread]) -> str:
    """What switching a knob did, in words a table can hold.

    An effect is claimed only when the ranges of all rounds lie apart.
    """
    if before is None or after is None:
        return "not measured"
    if min(before.rounds, after.rounds) < ENOUGH:
        return f"too few rounds to tell ({min(before.rounds, after.rounds)})"
    if overlap(before, after):
        return "no measurable effect here"
    return f"{(after.middle / before.middle - 1) * 100:+.0f} %"
