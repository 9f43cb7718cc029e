# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of series that alerts and dashboards may query, with their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .alerts import MonitoringError

TYPES = ("counter", "gauge", "histogram", "summary")
# Units, and the suffix of a series' name for each.
UNITS = {
    "seconds": "_seconds",
    "bytes": "_bytes",
    "ratio": "_ratio",
    "time": "_seconds",
    "celsius": "_celsius",
    "count": "",
    "state": "",
}
KEYS = {"type", "unit", "labels", "meaning"}
FILE = "monitoring/series.yml"


@dataclass(frozen=True)
class Series:
    """One metric family. ``jobs`` export it; ``unit`` is one of UNITS.

    The unit ``time`` is a time in seconds since 1970, ``state`` is 1 or 0.
    """

    name: str
    jobs: tuple[str, ...]
    type: str
    unit: str
    labels: tuple[str, ...]
    meaning: str

    def queried_as(self) -> set[str]:
        """Names of its series in Prometheus."""
        if self.type == "histogram":
            return {f"{self.name}_{part}" for part in ("bucket", "sum", "count")}
        if self.type == "summary":
            return {self.name, f"{self.name}_sum", f"{self.name}_count"}
        return {self.name}


def parse_series(catalogue: Mapping[str, Mapping[str, Any]]) -> dict[str, Series]:
    """Read the series of a catalogue by job; raises MonitoringError for an invalid one.

    A series of several jobs is declared by the first one, and repeated by the others with the same
    type and unit.
    """
    found: dict[str, Series] = {}
    for job, entries in catalogue.items():
        for name, entry in entries.items():
            one = _parse_one(name, job, entry)
            if name in found:
                other = found[name]
                if (one.type, one.unit) != (other.type, other.unit):
                    raise MonitoringError(
                        f"{FILE}: {job}.{name}: found type {one.type}, unit {one.unit}; required: "
                        f"{other.type}, {other.unit}, as in {', '.join(other.jobs)}"
                    )
                one = Series(
                    name, (*other.jobs, job), one.type, one.unit, other.labels, other.meaning
                )
            found[name] = one
    return found


def _parse_one(name: str, job: str, entry: Mapping[str, Any]) -> Series:
    where = f"{FILE}: {job}.{name}"
    if not isinstance(entry, Mapping) or set(entry) - KEYS:
        raise MonitoringError(
            f"{where}: found {entry!r}; allowed: a mapping of {', '.join(sorted(KEYS))}"
        )
    for key in ("type", "unit", "meaning"):
        if not entry.get(key):
            raise MonitoringError(f"{where}: found no {key}; required: type, unit, meaning")
    if entry["type"] not in TYPES or entry["unit"] not in UNITS:
        raise MonitoringError(
            f"{where}: found type {entry['type']}, unit {entry['unit']}; allowed types: "
            f"{', '.join(sorted(TYPES))}; allowed units: {', '.join(sorted(UNITS))}"
        )
    return Series(
        name=name,
        jobs=(job,),
        type=entry["type"],
        unit=entry["unit"],
        labels=tuple(entry.get("labels", ())),
        meaning=entry["meaning"],
    )


def queryable_names(series: Iterable[Series]) -> set[str]:
    """All names of the series in Prometheus."""
    return {name for one in series for name in one.queried_as()}
