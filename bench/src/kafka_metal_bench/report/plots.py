"""Plots as SVG, reproducible for the same results."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import matplotlib
from matplotlib.figure import Figure

from ..results import values
from . import view

WIDTH = 9.0
COLOURS = ("#1f77b4", "#2ca02c", "#d62728", "#9467bd")

# Text is not converted to paths; ids are reproducible.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "kafka-metal", "font.size": 9})


def draw(data: Dict[str, Any], folder: Path) -> List[str]:
    """Draw all plots that have results; return the names of the files in ``folder``."""
    plots: Dict[str, Callable[[Dict[str, Any]], Optional[Figure]]] = {
        "throughput.svg": throughput,
        "latency.svg": latency,
        "growth.svg": growth,
        "knobs.svg": knobs,
    }
    drawn = []
    for name, plot in plots.items():
        figure = plot(data)
        path = folder / name
        path.unlink(missing_ok=True)
        if figure is not None:
            figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
            # Trailing blanks fail the checks of repositories.
            text = "\n".join(line.rstrip() for line in path.read_text("utf-8").splitlines())
            path.write_text(text + "\n", encoding="utf-8")
            drawn.append(name)
    return drawn


def throughput(data: Dict[str, Any]) -> Optional[Figure]:
    """Return bars for each row and variant, with a dot for each round."""
    rows = [row for row in data["rows"] if row["kind"] in ("produce", "consume")]
    variants = view.measured_variants(data)
    if not variants:
        return None
    figure = Figure(figsize=(WIDTH, 0.35 * len(rows) * len(variants) + 1.2))
    axes = figure.subplots()
    height = 0.8 / len(variants)
    for number, variant in enumerate(variants):
        for place, row in enumerate(rows):
            found = values(data["samples"], "table", row["id"], variant["id"], "records_s")
            if found:
                y = place + number * height
                middle = sorted(found)[len(found) // 2]
                label = variant["title"] if place == 0 else None
                axes.barh(y, middle, height * 0.9, color=COLOURS[number], alpha=0.6, label=label)
                axes.plot(found, [y] * len(found), "k.", markersize=4)
    axes.set_yticks([n + 0.4 - height / 2 for n in range(len(rows))], [r["title"] for r in rows])
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("records/s (bar: median; dots: rounds)")
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=8)
    return figure


def latency(data: Dict[str, Any]) -> Optional[Figure]:
    """Return the latency percentiles of each variant, with a dot for each round."""
    rows = [row["id"] for row in data["rows"] if row["kind"] == "latency"]
    variants = view.measured_variants(data)
    keys = {"p50_ms": "p50", "p99_ms": "p99", "p999_ms": "p99.9"}
    figure = Figure(figsize=(WIDTH, 3))
    axes = figure.subplots()
    drawn = False
    for number, variant in enumerate(variants):
        for place, key in enumerate(keys):
            found = [
                v for row in rows for v in values(data["samples"], "table", row, variant["id"], key)
            ]
            if found:
                drawn = True
                label = variant["title"] if place == 0 else None
                x = [place + (number - 1) * 0.15] * len(found)
                axes.plot(x, found, "o", color=COLOURS[number], alpha=0.6, label=label)
    if not drawn:
        return None
    axes.set_xticks(range(len(keys)), list(keys.values()))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylabel("milliseconds")
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 0.95), fontsize=8)
    return figure


def growth(data: Dict[str, Any]) -> Optional[Figure]:
    """Return the throughput over stored data."""
    found = view.growth(data)
    if not found:
        return None
    figure = Figure(figsize=(WIDTH, 3))
    axes = figure.subplots()
    for number, (title, series) in enumerate(found.items()):
        stored = [point[0] / 1e9 for point in series]
        axes.plot(stored, [point[1] for point in series], ".-", color=COLOURS[number], label=title)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("payload stored, GB")
    axes.set_ylabel("records/s")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 0.95), fontsize=8)
    return figure


def knobs(data: Dict[str, Any]) -> Optional[Figure]:
    """Return both values of each setting relative to the median of the first, a dot per round."""
    pairs = []
    for knob in data["knobs"]:
        a, b = (values(data["samples"], "knob", knob["id"], side, "records_s") for side in "ab")
        if a and b:
            base = sorted(a)[len(a) // 2]
            pairs.append((knob, [v / base for v in a], [v / base for v in b]))
    if not pairs:
        return None
    figure = Figure(figsize=(WIDTH, 0.42 * len(pairs) + 1))
    axes = figure.subplots()
    for place, (_, a, b) in enumerate(pairs):
        for offset, found, colour in ((-0.12, a, COLOURS[0]), (0.12, b, COLOURS[2])):
            y = [place + offset] * len(found)
            axes.plot(found, y, "o-", color=colour, alpha=0.6, markersize=4)
    labels = [f"{k['id']}\n{k['a']['label']} | {k['b']['label']}" for k, _, _ in pairs]
    axes.set_yticks(range(len(pairs)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="grey", linewidth=0.5)
    axes.set_xlabel(
        "records/s relative to the median of the first value (blue: first, red: second)"
    )
    return figure
