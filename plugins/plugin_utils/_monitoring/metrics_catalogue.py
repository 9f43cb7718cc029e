# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of series: what alerts and dashboards may ask for, and who gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .alerts import MonitoringError

TYPES = ("counter", "gauge", "histogram", "summary")
# Units as Prometheus names them, and the words of a series that show them.
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


@dataclass(frozen=True)
class Series:
    """One family of series. ``jobs`` give it; ``unit`` is one of UNITS.

    A unit ``time`` is a moment in seconds since 1970, ``state`` is 1 or 0.
    """

    name: str
    jobs: tuple[str, ...]
    type: str
    unit: str
    labels: tuple[str, ...]
    meaning: str

    def queried_as(self) -> set[str]:
        """Names under which Prometheus keeps it."""
        if self.type == "histogram":
            return {f"{self.name}_{part}" for part in ("bucket", "sum", "count")}
        if self.type == "summary":
            return {self.name, f"{self.name}_sum", f"{self.name}_count"}
        return {self.name}


def series_of(catalogue: Mapping[str, Mapping[str, Any]]) -> dict[str, Series]:
    """Series by name, of a catalogue by job; raises MonitoringError for one that cannot be.

    A series that several jobs give is declared by the first and named again by the others with
    the same type and unit.
    """
    found: dict[str, Series] = {}
    for job, entries in catalogue.items():
        for name, entry in entries.items():
            one = _one(name, job, entry)
            if name in found:
                other = found[name]
                if (one.type, one.unit) != (other.type, other.unit):
                    raise MonitoringError(f"series {name}: jobs {other.jobs} and {job} differ")
                one = Series(
                    name, (*other.jobs, job), one.type, one.unit, other.labels, other.meaning
                )
            found[name] = one
    return found


def _one(name: str, job: str, entry: Mapping[str, Any]) -> Series:
    where = f"series {name} of job {job}"
    if not isinstance(entry, Mapping) or set(entry) - KEYS:
        raise MonitoringError(f"{where}: must be a mapping of {', '.join(sorted(KEYS))}")
    for key in ("type", "unit", "meaning"):
        if not entry.get(key):
            raise MonitoringError(f"{where}: has no {key}")
    if entry["type"] not in TYPES or entry["unit"] not in UNITS:
        raise MonitoringError(f"{where}: type {entry['type']}, unit {entry['unit']} are not known")
    return Series(
        name=name,
        jobs=(job,),
        type=entry["type"],
        unit=entry["unit"],
        labels=tuple(entry.get("labels", ())),
        meaning=entry["meaning"],
    )


def queryable(series: Iterable[Series]) -> set[str]:
    """Every name under which Prometheus keeps one of the series."""
    return {name for one in series for name in one.queried_as()}
