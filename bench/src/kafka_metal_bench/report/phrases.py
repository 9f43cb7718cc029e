"""Figures as people read them. Pure functions."""

from __future__ import annotations

from typing import Optional

from ..stats import Spread

NOTHING = "-"


def count(value: float) -> str:
    """A number of records: 1,234,567."""
    return f"{value:,.0f}"


def megabytes(value: float) -> str:
    """Bytes as MB (10^6)."""
    return f"{value / 1e6:,.1f}"


def gigabytes(value: float) -> str:
    """Bytes as GB (10^9)."""
    return f"{value / 1e9:,.2f}"


def times(value: Optional[float]) -> str:
    """A ratio."""
    return NOTHING if value is None else f"{value:.2f}"


def percent(value: Optional[float]) -> str:
    """A share."""
    return NOTHING if value is None else f"{value * 100:.0f} %"


def milliseconds(value: float) -> str:
    """Milliseconds."""
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def ranged(found: Optional[Spread], form: str = "count") -> str:
    """Middle of the rounds, with smallest and largest."""
    if found is None:
        return NOTHING
    write = {"count": count, "megabytes": megabytes, "milliseconds": milliseconds}[form]
    if found.rounds == 1:
        return f"{write(found.middle)} (1 round)"
    return f"{write(found.middle)} ({write(found.low)} to {write(found.high)})"
