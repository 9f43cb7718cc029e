"""What the outputs of the pipeline hold of a run, as far as it was read."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kafka_metal_client.brokers import header

Place = tuple[int, int]
Window = tuple[int, str]


@dataclass
class Observed:
    """Counters by place, (partition, offset) of the source; latencies in milliseconds."""

    archive: Counter[Place] = field(default_factory=Counter)
    invalid: Counter[Place] = field(default_factory=Counter)
    reasons: dict[Place, str] = field(default_factory=dict)
    frauds: Counter[Place] = field(default_factory=Counter)
    latencies: dict[Place, int] = field(default_factory=dict)
    # Windows that the run's accepted payments fall into: what archive and metrics hold of them,
    # payments of other runs included.
    touched: set[Window] = field(default_factory=set)
    archive_windows: Counter[Window] = field(default_factory=Counter)
    metric_windows: dict[Window, int] = field(default_factory=dict)
    # Records of an output that do not say where they come from, by topic; one example each.
    nameless: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add_fraud(self, message: Any, expected: Iterable[Place], source: str) -> None:
        """Take a record of the fraud topic; the first copy of a payment gives its latency."""
        place = self._place(message, source)
        if place is None or place not in expected:
            return
        self.frauds[place] += 1
        sent = header(message, "source.timestamp")
        if sent is not None:
            latency = message.timestamp()[1] - int(sent)
            self.latencies[place] = min(latency, self.latencies.get(place, latency))

    def add_invalid(self, message: Any, expected: Iterable[Place], source: str) -> None:
        """Take a record of the invalid topic; its value has to name the same place."""
        place = self._place(message, source)
        if place is None or place not in expected:
            return
        try:
            value = json.loads(message.value() or b"")
            told = (value["topic"], value["partition"], value["offset"])
            reason = str(value["reason"])
        except (ValueError, KeyError, TypeError):
            self._nameless(message, "is not the JSON of an invalid record")
            return
        if told != (source, *place):
            self._nameless(message, "names another record in its value than in its headers")
            return
        self.invalid[place] += 1
        self.reasons[place] = reason

    def _place(self, message: Any, source: str) -> Place | None:
        topic = header(message, "source.topic")
        try:
            place = (
                int(header(message, "source.partition") or ""),
                int(header(message, "source.offset") or ""),
            )
        except ValueError:
            self._nameless(message, "lacks the headers source.topic, .partition and .offset")
            return None
        return place if topic == source else None

    def _nameless(self, message: Any, what: str) -> None:
        topic = message.topic()
        self.nameless[topic] += 1
        place = f"{topic}, partition {message.partition()} offset {message.offset()}"
        self.examples.setdefault(topic, f"{place}, {what}")
