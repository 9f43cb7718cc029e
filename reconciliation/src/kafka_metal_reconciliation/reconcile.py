"""Wait until the pipeline has processed a run, then compare ledger and outputs record by record."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_metal_client import brokers
from kafka_metal_client.progress import Progress

from kafka_metal_reconciliation.archive import Archive
from kafka_metal_reconciliation.ledger import Ledger
from kafka_metal_reconciliation.observed import Observed
from kafka_metal_reconciliation.payment_metrics import PaymentMetrics
from kafka_metal_reconciliation.payments import FRAUD, is_accepted
from kafka_metal_reconciliation.run_report import Report, different_windows, run_report

# Read from before the run's start, because clocks of hosts differ.
MARGIN = timedelta(minutes=10)
POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Outputs:
    """The pipeline's outputs; ``window`` is the metrics window in seconds."""

    archive: Path
    frauds: str
    invalid: str
    metrics: str
    window: int = 60


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait in total, and without progress."""

    total: float
    stall: float


class Reconciliation:
    """Collects a run's records from the outputs; ``run`` returns the report."""

    def __init__(self, ledger: Ledger, outputs: Outputs, progress: Progress) -> None:
        """Prepare without reading; ClientError if the archive cannot be read here."""
        self._ledger = ledger
        self._outputs = outputs
        self._progress = progress
        self._kinds = ledger.expected()
        self._accepted = sum(is_accepted(kind) for kind in self._kinds.values())
        self._frauds = sum(kind == FRAUD for kind in self._kinds.values())
        self._archive = Archive(outputs.archive, ledger.topic, self._kinds, outputs.window)
        self._metrics = PaymentMetrics()
        self.observed = Observed()

    def run(self, reader: Any, timeouts: Timeouts) -> Report:
        """Read until the outputs are complete or a timeout expires; return the report."""
        self._assign(reader)
        started = changed = time.monotonic()
        before: tuple[int, ...] = ()
        while True:
            self._read(reader)
            now = time.monotonic()
            if self._complete():
                self._drain(reader)
                break
            if self._state() != before:
                before, changed = self._state(), now
            if now - started > timeouts.total or now - changed > timeouts.stall:
                break
            self._progress.show(self._describe)
        self._progress.close()
        report = run_report(self._ledger, self.observed)
        report["topics"] = {
            "frauds": self._outputs.frauds,
            "invalid": self._outputs.invalid,
            "metrics": self._outputs.metrics,
        }
        report["waited_seconds"] = round(time.monotonic() - started, 1)
        self._explain(report)
        return report

    def _assign(self, reader: Any) -> None:
        names = [self._outputs.frauds, self._outputs.invalid, self._outputs.metrics]
        start = datetime.fromisoformat(self._ledger.started) - MARGIN
        partitions = brokers.read_partitions(reader, names)
        reader.assign(brokers.offsets_since(reader, partitions, round(start.timestamp() * 1000)))

    def _read(self, reader: Any, seconds: float = POLL_SECONDS) -> int:
        messages = [
            message
            for message in reader.consume(brokers.BATCH, timeout=seconds)
            if message.error() is None
        ]
        for message in messages:
            self._take(message)
        if len(messages) < brokers.BATCH:
            self._archive.poll()
            self._publish()
        return len(messages)

    def _take(self, message: Any) -> None:
        topic = message.topic()
        if topic == self._outputs.frauds:
            self.observed.add_fraud(message, self._kinds, self._ledger.topic)
        elif topic == self._outputs.invalid:
            self.observed.add_invalid(message, self._kinds, self._ledger.topic)
        else:
            self._metrics.add(message.key(), message.value())

    def _publish(self) -> None:
        self.observed.archive = self._archive.rows
        self.observed.archive_windows = self._archive.windows
        self.observed.touched = self._archive.touched
        self.observed.metric_windows = self._metrics.counts()

    def _drain(self, reader: Any) -> None:
        """Read further copies of records until the topics have no more."""
        while self._read(reader, seconds=2 * POLL_SECONDS):
            continue

    def _complete(self) -> bool:
        seen = self.observed
        return (
            len(seen.archive) + len(seen.invalid) >= len(self._kinds)
            and len(seen.frauds) >= self._frauds
            and not different_windows(seen)
        )

    def _state(self) -> tuple[int, ...]:
        seen = self.observed
        known = seen.touched & seen.metric_windows.keys()
        counted = sum(seen.metric_windows[window] for window in known)
        return (len(seen.archive), len(seen.invalid), len(seen.frauds), counted)

    def _describe(self) -> str:
        seen = self.observed
        matching = len(seen.touched) - len(different_windows(seen))
        return (
            f"archived {len(seen.archive):,} of {self._accepted:,}, "
            f"invalid {len(seen.invalid):,} of {len(self._kinds) - self._accepted:,}, "
            f"frauds {len(seen.frauds):,} of {self._frauds:,}, "
            f"windows {matching:,} of {len(seen.touched):,}"
        )

    def _explain(self, report: Mapping[str, object]) -> None:
        """Add possible causes of differences to the notes."""
        notes = report["notes"]
        assert isinstance(notes, list)
        for path, error in self._archive.unreadable.items():
            notes.append(f"the archive's {path} could not be read: {error}")
        if self._metrics.unreadable:
            notes.append(
                f"{self._metrics.unreadable:,} records of topic {self._outputs.metrics} "
                "are not metrics of a window and a country"
            )
