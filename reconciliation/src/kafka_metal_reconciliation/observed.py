"""The records of a run that were read from the pipeline's outputs so far."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kafka_metal_client.brokers import header_text

Place = tuple[int, int]
Window = tuple[int, str]


@dataclass
class Observed:
    """Counts by place, which is (partition, offset) of the source; latencies in milliseconds."""

    archive: Counter[Place] = field(default_factory=Counter)
    invalid: Counter[Place] = field(default_factory=Counter)
    reasons: dict[Place, str] = field(default_factory=dict)
    frauds: Counter[Place] = field(default_factory=Counter)
    latencies: dict[Place, int] = field(default_factory=dict)
    # Windows of the run's accepted payments. The counts of archive and metrics for them include
    # payments of other runs.
    touched: set[Window] = field(default_factory=set)
    archive_windows: Counter[Window] = field(default_factory=Counter)
    metric_windows: dict[Window, int] = field(default_factory=dict)
    # Records of an output without a valid source, by topic, and one example each.
    untraceable: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add_fraud(self, message: Any, expected: Iterable[Place], source: str) -> None:
        """Count a record of the fraud topic; the first copy of a payment determines its latency."""
        place = self._place(message, source)
        if place is None or place not in expected:
            return
        self.frauds[place] += 1
        sent = header_text(message, "source.timestamp")
        if sent is not None:
            latency = message.timestamp()[1] - int(sent)
            self.latencies[place] = min(latency, self.latencies.get(place, latency))

    def add_invalid(self, message: Any, expected: Iterable[Place], source: str) -> None:
        """Count a record of the invalid topic; its value has to contain the same place."""
        place = self._place(message, source)
        if place is None or place not in expected:
            return
        try:
            value = json.loads(message.value() or b"")
            place_in_value = (value["topic"], value["partition"], value["offset"])
            reason = str(value["reason"])
        except (ValueError, KeyError, TypeError):
            self._add_untraceable(message, "is not the JSON of an invalid record")
            return
        if place_in_value != (source, *place):
            self._add_untraceable(message, "names another record in its value than in its headers")
            return
        self.invalid[place] += 1
        self.reasons[place] = reason

    def _place(self, message: Any, source: str) -> Place | None:
        topic = header_text(message, "source.topic")
        try:
            place = (
                int(header_text(message, "source.partition") or ""),
                int(header_text(message, "source.offset") or ""),
            )
        except ValueError:
            self._add_untraceable(message, "lacks source.topic, .partition or .offset headers")
            return None
        return place if topic == source else None

    def _add_untraceable(self, message: Any, what: str) -> None:
        topic = message.topic()
        self.untraceable[topic] += 1
        place = f"{topic}, partition {message.partition()} offset {message.offset()}"
        self.examples.setdefault(topic, f"{place}, {what}")
