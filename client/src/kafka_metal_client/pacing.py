"""Pacing of a sender: when the next record is due."""

# Longest delay that a sender makes up for: after a longer stall it must not send a burst.
CATCH_UP_SECONDS = 0.1


class Pacer:
    """Spreads records evenly over time; ``rate`` is records per second, 0 for no limit."""

    def __init__(self, rate: float, now: float) -> None:
        """``now`` and all later times are seconds of one monotonic clock."""
        if rate < 0:
            raise ValueError(f"a rate of {rate} records per second: allowed are 0 and above")
        self._interval = 1 / rate if rate else 0.0
        self._due = now

    def delay(self, now: float) -> float:
        """Return seconds until the next record is due; 0 counts it as sent."""
        if self._interval == 0:
            return 0.0
        if self._due > now:
            return self._due - now
        self._due = max(self._due, now - CATCH_UP_SECONDS) + self._interval
        return 0.0
