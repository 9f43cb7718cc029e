"""Render boards with the results of their queries as one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..model import Board, Panel
from .plot import svg
from .prometheus_api import Prometheus, Span
from .units import format_value


@dataclass(frozen=True)
class RenderedPanel:
    """A panel with its result: an SVG or a value, or neither without data."""

    title: str
    description: str
    kind: str
    picture: str = ""
    value: str = ""
    bad: bool = False


def render_panel(panel: Panel, prometheus: Prometheus, span: Span) -> RenderedPanel:
    """Query the data of a panel and render it; raise QueryError."""
    description = f"{panel.description} {panel.empty}".strip()
    if panel.kind == "stat":
        value = prometheus.now(panel.queries[0], span.end)
        if value is None:
            return RenderedPanel(panel.title, description, panel.kind)
        limit = panel.bad
        bad = limit is not None and (value < limit if panel.low else value >= limit)
        text = format_value(value, panel.unit)
        return RenderedPanel(panel.title, description, panel.kind, value=text, bad=bad)
    lines = [line for line in prometheus.over(panel.queries, span) if line.values]
    picture = svg(lines, panel.unit) if lines else ""
    return RenderedPanel(panel.title, description, panel.kind, picture=picture)


def page(boards: Sequence[Board], prometheus: Prometheus, span: Span) -> str:
    """Return the HTML without scripts and external resources; raise QueryError."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rendered = [
        {
            "title": board.title,
            "description": board.description,
            "rows": [
                (title, [render_panel(panel, prometheus, span) for panel in panels])
                for title, panels in board.rows
            ],
        }
        for board in boards
    ]
    when = datetime.fromtimestamp(span.end, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return environment.get_template("page.html.j2").render(
        cluster=prometheus.cluster,
        when=when,
        span=format_value(span.end - span.start, "s"),
        boards=rendered,
    )
