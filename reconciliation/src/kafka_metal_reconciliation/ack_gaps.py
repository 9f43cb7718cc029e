"""How long a producer waited for acknowledgements."""


class AckGaps:
    """The longest time without an acknowledgement while at least one record waited for it."""

    def __init__(self) -> None:
        """Nothing sent yet."""
        self.in_flight = 0
        self.longest = 0.0
        self._since = 0.0

    def sent(self, now: float) -> None:
        """A record was handed to the producer."""
        if self.in_flight == 0:
            self._since = now
        self.in_flight += 1

    def answered(self, now: float) -> None:
        """A record was acknowledged, or given up."""
        self.longest = max(self.longest, self.waiting(now))
        self.in_flight -= 1
        self._since = now

    def waiting(self, now: float) -> float:
        """Seconds since the last answer; 0 when none is awaited."""
        return now - self._since if self.in_flight else 0.0
