"""From boards and the answers to their questions to one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..model import Board, Panel
from .asking import Prometheus, Span
from .plot import svg
from .units import shown


@dataclass(frozen=True)
class Drawn:
    """A panel with its answer: a picture, or a value, or neither where nobody has figures."""

    title: str
    description: str
    kind: str
    picture: str = ""
    value: str = ""
    bad: bool = False


def drawn(panel: Panel, prometheus: Prometheus, span: Span) -> Drawn:
    """Ask what the panel asks, and draw it. Raises AskError."""
    told = f"{panel.description} {panel.empty}".strip()
    if panel.kind == "stat":
        value = prometheus.now(panel.queries[0], span.end)
        if value is None:
            return Drawn(panel.title, told, panel.kind)
        limit = panel.bad
        bad = limit is not None and (value < limit if panel.low else value >= limit)
        return Drawn(panel.title, told, panel.kind, value=shown(value, panel.unit), bad=bad)
    lines = [line for line in prometheus.over(panel.queries, span) if line.values]
    picture = svg(lines, panel.unit) if lines else ""
    return Drawn(panel.title, told, panel.kind, picture=picture)


def page(boards: Sequence[Board], prometheus: Prometheus, span: Span) -> str:
    """The page, complete: no script, no font, no address to load from. Raises AskError."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown_boards = [
        {
            "title": board.title,
            "description": board.description,
            "rows": [
                (title, [drawn(panel, prometheus, span) for panel in panels])
                for title, panels in board.rows
            ],
        }
        for board in boards
    ]
    when = datetime.fromtimestamp(span.end, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return environment.get_template("page.html.j2").render(
        cluster=prometheus.cluster,
        when=when,
        span=shown(span.end - span.start, "s"),
        boards=shown_boards,
    )
