"""The operation in progress on a cluster, from the files that playbooks write."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from ._problems.messages import utc_time
from ._problems.operation_rules import ACTIVE, EVERYTHING, INACTIVE_S, UNTIL


@dataclass(frozen=True)
class Operation:
    """The operation in progress: its name, who started it, and when it was last active.

    ``muted``: until when alerts of a service or machine are muted, by its name. Times are seconds
    since 1970. All fields are empty without an operation.
    """

    name: str = ""
    by: str = ""
    active: float = 0.0
    muted: dict[str, float] = field(default_factory=dict)

    def problems(self, now: float) -> list[str]:
        """Return a message if the operation was interrupted."""
        if not self.name or now - self.active <= INACTIVE_S:
            return []
        return [
            f"{self.name} by {self.by} was interrupted: not active for "
            f"{(now - self.active) / 60:.0f} min. make status shows how to continue."
        ]

    def in_progress(self, now: float) -> bool:
        """Whether an operation runs that has not been interrupted."""
        return bool(self.name) and not self.problems(now)

    def notes(self, now: float) -> list[str]:
        """Return messages on an operation in progress and on muted alerts."""
        messages = []
        if self.in_progress(now):
            messages.append(
                f"In progress: {self.name} by {self.by}, last active at {utc_time(self.active)}."
            )
        muted = {name: until for name, until in self.muted.items() if until > now}
        if muted:
            names, until = ", ".join(sorted(muted)), utc_time(max(muted.values()))
            messages.append(f"Alerts of {names} are muted until {until}.")
        return messages


def operation(folder: str, cluster: str) -> Operation:
    """Return the operation on a cluster; empty without a folder.

    The folder may have files of several clusters.
    """
    name, by, active = "", "", 0.0
    muted: dict[str, float] = {}
    for sample in _samples(folder):
        labels = sample.labels
        if labels.get("of_cluster") != cluster:
            continue
        if sample.name == ACTIVE:
            name, by, active = labels.get("operation", ""), labels.get("by", ""), sample.value
        elif what := _stopped(labels):
            muted[what] = max(sample.value, muted.get(what, 0.0))
    return Operation(name, by, active, muted)


def _stopped(labels: Mapping[str, str]) -> str:
    """Return the name of the instance or machine that an operation has stopped."""
    named = labels.get("of_instance") or labels.get("of_host", "")
    return named or (EVERYTHING if labels.get("of_all") else "")


def _samples(folder: str) -> Iterator[Sample]:
    """Return the samples of our files; skip files that cannot be parsed and other metrics."""
    for path in sorted(Path(folder).glob("*@*.prom")) if folder else ():
        try:
            families = list(text_string_to_metric_families(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue
        for family in families:
            yield from (each for each in family.samples if each.name in (ACTIVE, UNTIL))
