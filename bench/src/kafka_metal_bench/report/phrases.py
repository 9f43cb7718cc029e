"""Format results as text. Pure functions."""

from __future__ import annotations

from typing import Optional

from ..stats import Spread

NOTHING = "-"


def count(value: float) -> str:
    """Return a number of records: 1,234,567."""
    return f"{value:,.0f}"


def megabytes(value: float) -> str:
    """Return bytes as MB (10^6)."""
    return f"{value / 1e6:,.1f}"


def gigabytes(value: float) -> str:
    """Return bytes as GB (10^9)."""
    return f"{value / 1e9:,.2f}"


def times(value: Optional[float]) -> str:
    """Return a ratio with two decimals, or NOTHING."""
    return NOTHING if value is None else f"{value:.2f}"


def percent(value: Optional[float]) -> str:
    """Return a share as whole percent, or NOTHING."""
    return NOTHING if value is None else f"{value * 100:.0f} %"


def milliseconds(value: float) -> str:
    """Return milliseconds with three digits."""
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def ranged(found: Optional[Spread], form: str = "count") -> str:
    """Return the median of the rounds, with minimum and maximum."""
    if found is None:
        return NOTHING
    write = {"count": count, "megabytes": megabytes, "milliseconds": milliseconds}[form]
    if found.rounds == 1:
        return f"{write(found.middle)} (1 round)"
    return f"{write(found.middle)} ({write(found.low)} to {write(found.high)})"
