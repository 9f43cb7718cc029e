"""Records of the metrics topic: the number of payments per window and country."""

import json
from datetime import UTC, datetime

from kafka_metal_reconciliation.observed import Window

START_FIELDS = ("window_start", "windowStart", "start", "minute")
COUNT_FIELDS = ("payments", "count", "records")


class PaymentMetrics:
    """The last count per key; records of a key are in order, because it has one partition."""

    def __init__(self) -> None:
        """Start without records."""
        self._last: dict[bytes, tuple[Window, int]] = {}
        self.unreadable = 0

    def add(self, key: bytes | None, value: bytes | None) -> None:
        """Add a record of the topic; one that is not a metric is counted as unreadable."""
        try:
            metric = json.loads(value or b"")
            if not isinstance(metric, dict):
                raise TypeError("not an object")
            window = (_start(metric), str(metric.get("country") or ""))
            count = int(str(_first(metric, COUNT_FIELDS)))
        except (ValueError, KeyError, TypeError):
            self.unreadable += 1
            return
        self._last[key or repr(window).encode()] = (window, count)

    def counts(self) -> dict[Window, int]:
        """Return the payments by start of the window (seconds since 1970) and country."""
        counts: dict[Window, int] = {}
        for window, count in self._last.values():
            counts[window] = counts.get(window, 0) + count
        return counts


def _start(metric: dict[str, object]) -> int:
    window = metric.get("window")
    start = window["start"] if isinstance(window, dict) else _first(metric, START_FIELDS)
    return _seconds(start)


def _first(metric: dict[str, object], names: tuple[str, ...]) -> object:
    for name in names:
        if name in metric:
            return metric[name]
    raise KeyError(names)


def _seconds(moment: object) -> int:
    if isinstance(moment, int):
        # Values above are milliseconds: seconds reach 12 digits only in the year 5138.
        return moment // 1000 if moment > 10**11 else moment
    parsed = datetime.fromisoformat(str(moment))
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
