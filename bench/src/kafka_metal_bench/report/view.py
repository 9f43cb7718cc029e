"""Convert results.json to the tables of the report. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ..limit import shared, x_max
from ..results import reason, values
from ..stats import Spread, effect, ratio, spread
from . import phrases

FIRST = "one_producer"
Data = Dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """Limits of the hardware in bytes per second."""

    disks: float
    loopback: Optional[float]

    @classmethod
    def of(cls, data: Data) -> Optional[Limits]:
        """Return the limits of a run, or None if they were not measured."""
        found = data.get("limits") or {}
        if not found.get("disks"):
            return None
        written = sum(disk["write_bytes_s"] for disk in found["disks"])
        return cls(written, found.get("loopback_bytes_s"))


def rates(data: Data, row: str, side: str) -> Optional[Spread]:
    """Return records per second of a row."""
    return spread(values(data["samples"], "table", row, side, "records_s"))


def result(data: Data, row: str, side: str, key: str) -> Optional[Spread]:
    """Return the spread of the samples ``key`` of a row's side, None without samples."""
    return spread(values(data["samples"], "table", row, side, key))


def measured_variants(data: Data) -> List[Dict[str, Any]]:
    """Return variants with at least one result, in the order of the plan."""
    sides = {sample["side"] for sample in data["samples"] if sample["experiment"] == "table"}
    return [variant for variant in data["variants"] if variant["id"] in sides]


def row_limit(data: Data, row: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Return the hardware limit of a row in records per second, and the limiting resource."""
    limits = Limits.of(data)
    if limits is None or row["kind"] == "latency":
        return None
    reads = row["kind"] == "consume"
    brokers = int(data["brokers"])
    broker = shared(limits.disks, limits.loopback, brokers)
    found, bound = x_max(
        broker, brokers, 0 if reads else row["replicas"], row["clients"] if reads else 0
    )
    # Each consumer reads the whole payload.
    total = found * (row["clients"] if reads else 1)
    size = int(data["settings"]["record_size"])
    return {"records_s": total / size, "bytes_s": total, "bound": bound}


def throughput(data: Data, side: str) -> List[Dict[str, str]]:
    """Return the lines of the throughput table."""
    size = int(data["settings"]["record_size"])
    first = rates(data, FIRST, side)
    lines = []
    for row in data["rows"]:
        if row["kind"] == "latency":
            continue
        found, limit = rates(data, row["id"], side), row_limit(data, row)
        if found is None:
            why = reason(data, "table", row["id"], side) or "not measured"
            lines.append({"title": row["title"], "missing": why})
            continue
        busy = result(data, row["id"], side, "cpu_busy")
        cost = result(data, row["id"], side, "broker_cpu_us_per_record")
        first_published = next(
            (each["published"] for each in data["rows"] if each["id"] == FIRST), None
        )
        lines.append(
            {
                "title": row["title"],
                "missing": "",
                "records": phrases.ranged(found),
                "megabytes": phrases.megabytes(found.middle * size),
                "to_first": phrases.times(ratio(found, first)),
                "published": phrases.times(
                    row["published"] / first_published
                    if row["published"] and first_published
                    else None
                ),
                "to_limit": phrases.percent(found.middle / limit["records_s"] if limit else None),
                "bound": limit["bound"] if limit else phrases.NOTHING,
                "busy": phrases.percent(busy.middle if busy else None),
                "cost": f"{cost.middle:.2f} µs" if cost else phrases.NOTHING,
            }
        )
    return lines


def latency(data: Data) -> List[Dict[str, str]]:
    """Return the lines of end-to-end latency by variant."""
    lines = []
    for row in (row for row in data["rows"] if row["kind"] == "latency"):
        for variant in measured_variants(data):
            found = {
                key: result(data, row["id"], variant["id"], key)
                for key in ("p50_ms", "p99_ms", "p999_ms", "avg_ms")
            }
            if found["p50_ms"]:
                lines.append(
                    {
                        "title": variant["title"],
                        **{
                            key: phrases.ranged(each, "milliseconds") for key, each in found.items()
                        },
                    }
                )
    return lines


def side_by_side(data: Data) -> List[Dict[str, Any]]:
    """Return all rows in all variants, with changes relative to the first variant."""
    variants = measured_variants(data)
    lines = []
    for row in (row for row in data["rows"] if row["kind"] != "latency"):
        found = {each["id"]: rates(data, row["id"], each["id"]) for each in variants}
        base = found[variants[0]["id"]] if variants else None
        if sum(each is not None for each in found.values()) > 1:
            cells = [
                {
                    "records": phrases.ranged(found[each["id"]]),
                    "effect": "" if each is variants[0] else effect(base, found[each["id"]]),
                }
                for each in variants
            ]
            lines.append({"title": row["title"], "cells": cells})
    return lines


def costs(data: Data) -> List[Dict[str, Any]]:
    """Return the CPU time of the brokers per record by variant."""
    variants = measured_variants(data)
    lines = []
    for row in (row for row in data["rows"] if row["kind"] in ("produce", "consume")):
        found = [
            result(data, row["id"], each["id"], "broker_cpu_us_per_record") for each in variants
        ]
        if any(found):
            cells = [
                {
                    "cost": f"{each.middle:.2f} ({each.low:.2f} to {each.high:.2f})"
                    if each
                    else phrases.NOTHING,
                    "effect": "" if number == 0 else effect(found[0], each),
                }
                for number, each in enumerate(found)
            ]
            lines.append({"title": row["title"], "cells": cells})
    return lines


def knobs(data: Data) -> List[Dict[str, str]]:
    """Return all settings with both results and the change."""
    titles = {row["id"]: row["title"] for row in data["rows"]}
    lines = []
    for knob in data["knobs"]:
        a, b = (
            spread(values(data["samples"], "knob", knob["id"], side, "records_s")) for side in "ab"
        )
        whys = [reason(data, "knob", knob["id"], side) for side in "ab"]
        found = effect(a, b)
        if a is None or b is None:
            found = f"not measured: {next((why for why in whys if why), 'no round')}"
        lines.append(
            {
                "id": knob["id"],
                "title": knob["title"],
                "row": titles[knob["row"]],
                "a_label": knob["a"]["label"],
                "b_label": knob["b"]["label"],
                "a": phrases.ranged(a),
                "b": phrases.ranged(b),
                "rounds": str(min(a.rounds, b.rounds)) if a and b else "0",
                "effect": found,
            }
        )
    return lines


def growth(data: Data) -> Dict[str, List[List[float]]]:
    """Return stored bytes and records/s of the growth row, by title of the variant."""
    found: Dict[str, List[List[float]]] = {}
    titles = {variant["id"]: variant["title"] for variant in data["variants"]}
    for sample in data["samples"]:
        if sample.get("series"):
            found.setdefault(titles[sample["side"]], []).extend(sample["series"])
    return found


def growth_lines(data: Data) -> List[Dict[str, str]]:
    """Return the first and the last third of the growth row, and the change."""
    lines = []
    for title, series in growth(data).items():
        third = len(series) // 3
        if not third:
            continue
        start = spread(rate for _, rate in series[:third])
        end = spread(rate for _, rate in series[-third:])
        lines.append(
            {
                "title": title,
                "stored": phrases.gigabytes(series[-1][0]),
                "start": phrases.ranged(start),
                "end": phrases.ranged(end),
                "effect": effect(start, end),
            }
        )
    return lines


def measured_days(data: Data) -> str:
    """Return the first and the last day of the measurements."""
    days = sorted(sample["at"][:10] for sample in data["samples"])
    if not days:
        return "no measurement"
    return days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def share(data: Data, key: str) -> Optional[Spread]:
    """Return a share of CPU time over all measurements, such as stolen time."""
    return spread(sample[key] for sample in data["samples"] if key in sample)


# Maximum CPU share of other processes for valid results.
MAX_BACKGROUND = 0.1


def was_disturbed(data: Data) -> bool:
    """Whether other processes used the machine in half of the measurements."""
    found = share(data, "background_busy")
    return found is not None and found.middle > MAX_BACKGROUND
