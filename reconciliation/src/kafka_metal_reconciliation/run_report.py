"""Comparison of a ledger with the outputs: every sent record is in exactly one place.

The report of a run:

    {"run", "topic", "reconciled": bool, "differences": [message], "notes": [message],
     "sent", "acknowledged", "failed", "longest_gap_seconds",
     "accepted": {"expected", "found", "missing", "repeated"},
     "invalid":  {"expected", "found", "missing", "repeated", "kinds": {kind: {reason: count}}},
     "frauds":   {"expected", "found", "missing", "repeated"},
     "metrics":  {"windows", "archived", "counted", "different"},
     "topics": {"frauds", "invalid", "metrics"}: their names (set by reconcile.py),
     "latency_ms": {"p50", "p99", "max", "records"}}

``repeated`` counts copies after the first. Only in the archive they are a difference: topics are
written at least once.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import UTC, datetime

from kafka_metal_reconciliation.ledger import Ledger
from kafka_metal_reconciliation.observed import Observed, Place, Window
from kafka_metal_reconciliation.payments import FRAUD, is_accepted
from kafka_metal_reconciliation.verify import format_places

EXAMPLES = 5
Report = dict[str, object]


def run_report(ledger: Ledger, observed: Observed) -> Report:
    """Return the report of a run; ``reconciled`` is true only if there are no differences."""
    kinds = ledger.expected()
    accepted = {place for place, kind in kinds.items() if is_accepted(kind)}
    frauds = {place for place, kind in kinds.items() if kind == FRAUD}
    differences = [
        *_placement(kinds, accepted, observed),
        *_frauds(frauds, observed),
        *_metrics(observed),
        *_untraceable(observed),
    ]
    return {
        "run": ledger.run,
        "topic": ledger.topic,
        "reconciled": not differences,
        "differences": differences,
        "notes": _notes(ledger),
        "sent": ledger.sent,
        "acknowledged": ledger.acknowledged,
        "failed": ledger.failed,
        "longest_gap_seconds": ledger.longest_gap,
        "accepted": _counts(accepted, observed.archive),
        "invalid": {
            **_counts(kinds.keys() - accepted, observed.invalid),
            "kinds": _reasons(kinds, observed),
        },
        "frauds": _counts(frauds, observed.frauds),
        "metrics": {
            "windows": len(observed.touched),
            "archived": sum(observed.archive_windows[window] for window in observed.touched),
            "counted": sum(observed.metric_windows.get(window, 0) for window in observed.touched),
            "different": len(different_windows(observed)),
        },
        "latency_ms": _latency(list(observed.latencies.values())),
    }


def different_windows(observed: Observed) -> list[Window]:
    """Return the run's windows in which metrics and archive count differently."""
    return sorted(
        window
        for window in observed.touched
        if observed.metric_windows.get(window, 0) != observed.archive_windows[window]
    )


def percentile(values: list[int], share: float) -> int:
    """Return the smallest of ``values`` (sorted) that ``share`` of them do not exceed."""
    return values[max(0, -int(-share * len(values) // 1) - 1)]


def _placement(kinds: dict[Place, str], accepted: set[Place], observed: Observed) -> list[str]:
    archived, rejected = observed.archive.keys(), observed.invalid.keys()
    invalid = kinds.keys() - accepted
    both = archived & rejected
    repeated = {place for place, count in observed.archive.items() if count > 1}
    findings = [
        ("valid payments are neither in the archive nor invalid", accepted - archived - rejected),
        ("valid payments were rejected as invalid", (accepted & rejected) - both),
        ("malformed records are neither in the archive nor invalid", invalid - archived - rejected),
        ("malformed records are in the archive", (invalid & archived) - both),
        ("records are both in the archive and invalid", both),
        ("payments are in the archive more than once", repeated),
    ]
    return [
        f"{len(found):,} {what}: {_kinds_of(found, kinds)}{format_places(found)}"
        for what, found in findings
        if found
    ]


def _kinds_of(found: set[Place], kinds: dict[Place, str]) -> str:
    counts = Counter(kinds.get(place, "not sent") for place in found)
    return "".join(f"{count:,} {kind}, " for kind, count in sorted(counts.items()))


def _frauds(frauds: set[Place], observed: Observed) -> list[str]:
    missing, extra = frauds - observed.frauds.keys(), observed.frauds.keys() - frauds
    messages = []
    if missing:
        messages.append(
            f"{len(missing):,} frauds are not in the fraud topic: {format_places(missing)}"
        )
    if extra:
        what = "records in the fraud topic are not frauds"
        messages.append(f"{len(extra):,} {what}: {format_places(extra)}")
    return messages


def _metrics(observed: Observed) -> list[str]:
    different = different_windows(observed)
    if not different:
        return []
    examples = ", ".join(
        f"{datetime.fromtimestamp(start, UTC):%Y-%m-%dT%H:%M:%SZ} {country} "
        f"{observed.metric_windows.get((start, country), 0):,} instead of "
        f"{observed.archive_windows[start, country]:,}"
        for start, country in different[:EXAMPLES]
    )
    return [
        f"{len(different):,} of {len(observed.touched):,} windows have metrics that differ from "
        f"the archive: {examples}"
    ]


def _untraceable(observed: Observed) -> list[str]:
    return [
        f"{count:,} records of topic {topic} cannot be traced to their source: "
        f"{observed.examples[topic]}"
        for topic, count in sorted(observed.untraceable.items())
    ]


def _notes(ledger: Ledger) -> list[str]:
    notes = []
    for reason, failure in sorted(ledger.failures.items()):
        notes.append(
            f"{failure.count:,} records were not acknowledged ({reason}); they may still be in the "
            "log and are not counted here"
        )
    if ledger.sent < ledger.requested:
        notes.append(f"sending ended early: {ledger.sent:,} of {ledger.requested:,} records")
    return notes


def _counts(expected: Collection[Place], found: Counter[Place]) -> dict[str, object]:
    return {
        "expected": len(expected),
        "found": sum(place in found for place in expected),
        "missing": sum(place not in found for place in expected),
        "repeated": sum(found.values()) - len(found),
    }


def _reasons(kinds: dict[Place, str], observed: Observed) -> dict[str, dict[str, int]]:
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place, reason in observed.reasons.items():
        reasons[kinds[place]][reason] += 1
    return {kind: dict(sorted(counts.items())) for kind, counts in sorted(reasons.items())}


def _latency(values: list[int]) -> dict[str, int]:
    if not values:
        return {"records": 0}
    values.sort()
    return {
        "p50": percentile(values, 0.5),
        "p99": percentile(values, 0.99),
        "max": values[-1],
        "records": len(values),
    }
