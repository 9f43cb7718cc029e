"""Gaps between the acknowledgements of a producer."""


class AckGaps:
    """Measures the longest time without an acknowledgement while a record was in flight."""

    def __init__(self) -> None:
        """Start without records."""
        self.in_flight = 0
        self.longest = 0.0
        self._since = 0.0

    def sent(self, now: float) -> None:
        """Count a record that was passed to the producer."""
        if self.in_flight == 0:
            self._since = now
        self.in_flight += 1

    def completed(self, now: float) -> None:
        """Count a record that was acknowledged or failed."""
        self.longest = max(self.longest, self.waiting(now))
        self.in_flight -= 1
        self._since = now

    def waiting(self, now: float) -> float:
        """Return seconds since the last result; 0 if no record is in flight."""
        return now - self._since if self.in_flight else 0.0
