"""Records of the metrics topic: how many payments a window and a country had."""

import json
from datetime import UTC, datetime

from kafka_metal_reconciliation.observed import Window

START_FIELDS = ("window_start", "windowStart", "start", "minute")
COUNT_FIELDS = ("payments", "count", "records")


class PaymentMetrics:
    """The last count of each key; updates of a key are in order, as a key has one partition."""

    def __init__(self) -> None:
        """Nothing read yet."""
        self._last: dict[bytes, tuple[Window, int]] = {}
        self.unreadable = 0

    def add(self, key: bytes | None, value: bytes | None) -> None:
        """Take one record of the topic; one that is no metric is counted as unreadable."""
        try:
            metric = json.loads(value or b"")
            if not isinstance(metric, dict):
                raise TypeError("no object")
            window = (_start(metric), str(metric.get("country") or ""))
            count = int(str(_first(metric, COUNT_FIELDS)))
        except (ValueError, KeyError, TypeError):
            self.unreadable += 1
            return
        self._last[key or repr(window).encode()] = (window, count)

    def counts(self) -> dict[Window, int]:
        """Payments by start of the window (seconds since 1970) and country."""
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
        # Milliseconds have twelve digits and more since 1973.
        return moment // 1000 if moment > 10**11 else moment
    parsed = datetime.fromisoformat(str(moment))
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
