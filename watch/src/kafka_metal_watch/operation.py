"""Operations on a cluster, from the files that its playbooks write for the node exporter."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

ACTIVE = "kafka_metal_operation_active_time_seconds"
UNTIL = "kafka_metal_maintenance_until_time_seconds"
# A run says that it is active at every step, at the latest after a slow stop or a build of images.
QUIET_S = 1800


@dataclass(frozen=True)
class Operation:
    """What is under way, ``active`` last at a moment; ``silent``: until when, by name.

    Without an operation all of it is empty. Moments are epoch seconds.
    """

    name: str = ""
    by: str = ""
    active: float = 0.0
    silent: dict[str, float] = field(default_factory=dict)

    def problems(self, now: float) -> list[str]:
        """A sentence on an operation that was interrupted."""
        if not self.name or now - self.active <= QUIET_S:
            return []
        return [
            f"{self.name} by {self.by} was interrupted: not active for "
            f"{(now - self.active) / 60:.0f} min. make status says how it goes on."
        ]

    def notes(self, now: float) -> list[str]:
        """Messages on one that is under way, and on alerts that are silent."""
        said = []
        if self.name and not self.problems(now):
            said.append(
                f"Under way: {self.name} by {self.by}, last active at {moment(self.active)}."
            )
        silent = {name: until for name, until in self.silent.items() if until > now}
        if silent:
            names, until = ", ".join(sorted(silent)), moment(max(silent.values()))
            said.append(f"Alerts of {names} are silent until {until}.")
        return said


def moment(seconds: float) -> str:
    """A moment as people read it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def operation(folder: str, cluster: str) -> Operation:
    """The operation on a cluster; none without a folder. One machine may carry several clusters."""
    name, by, active = "", "", 0.0
    silent: dict[str, float] = {}
    for sample in _samples(folder):
        labels = sample.labels
        if labels.get("of_cluster") != cluster:
            continue
        if sample.name == ACTIVE:
            name, by, active = labels.get("operation", ""), labels.get("by", ""), sample.value
        elif what := labels.get("of_instance") or labels.get("of_host"):
            silent[what] = max(sample.value, silent.get(what, 0.0))
    return Operation(name, by, active, silent)


def _samples(folder: str) -> Iterator[Sample]:
    """Samples of all files of ours; one that is half written or somebody else's has none."""
    for path in sorted(Path(folder).glob("*@*.prom")) if folder else ():
        try:
            families = list(text_string_to_metric_families(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue
        for family in families:
            yield from (each for each in family.samples if each.name in (ACTIVE, UNTIL))
