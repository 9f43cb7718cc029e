"""Convert boards to dashboards in Grafana's JSON format."""

import json
from collections.abc import Iterator
from typing import Any

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    LegendDisplayMode,
    LegendPlacement,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardLinkType,
    DataSourceRef,
    GridPos,
    Threshold,
    ThresholdsConfig,
    ThresholdsMode,
    VariableRefresh,
)

from .model import Board, Panel

WIDTH, GRAPH_HEIGHT, STAT_HEIGHT = 24, 8, 4
SOURCE = DataSourceRef(type_val="prometheus", uid="$source")


def thresholds(panel: Panel) -> ThresholdsConfig:
    """Return green and red thresholds; blue without a bad value."""
    if panel.bad is None:
        steps = [Threshold(value=None, color="blue")]
    else:
        first, then = ("red", "green") if panel.low else ("green", "red")
        steps = [Threshold(value=None, color=first), Threshold(value=panel.bad, color=then)]
    return ThresholdsConfig(mode=ThresholdsMode.ABSOLUTE, steps=steps)


def panel_builder(panel: Panel, number: int, position: GridPos) -> Any:
    """Return Grafana's builder for a panel: its kind, queries, unit and position."""
    builder: Any
    if panel.kind == "stat":
        builder = stat.Panel().thresholds(
            dashboard.ThresholdsConfig()
            .mode(ThresholdsMode.ABSOLUTE)
            .steps(thresholds(panel).steps)
        )
        builder.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        builder.color_mode(
            BigValueColorMode.BACKGROUND if panel.bad is not None else BigValueColorMode.VALUE
        )
    else:
        builder = (
            timeseries.Panel()
            .min(0)
            .line_width(1)
            .fill_opacity(8)
            .legend(
                common.VizLegendOptions()
                .display_mode(LegendDisplayMode.LIST)
                .placement(LegendPlacement.BOTTOM)
                .show_legend(True)
            )
        )
    builder.id(number).title(panel.title).unit(panel.unit).datasource(SOURCE).grid_pos(position)
    builder.description(f"{panel.description} {panel.empty}".strip())
    for index, query in enumerate(panel.queries):
        target = prometheus.Dataquery().expr(query.promql).ref_id(chr(ord("A") + index))
        target = target.legend_format(query.legend or "__auto")
        builder.with_target(target.instant() if panel.kind == "stat" else target.range())
    return builder


def layout(board: Board) -> Iterator[tuple[str | None, Panel | None, GridPos]]:
    """Yield rows and panels with their positions, from left to right and top to bottom."""
    y = 0
    for title, panels in board.rows:
        yield title, None, GridPos(h=1, w=WIDTH, x=0, y=y)
        y, x, height = y + 1, 0, 0
        for panel in panels:
            if x + panel.width > WIDTH:
                x, y, height = 0, y + height, 0
            tall = STAT_HEIGHT if panel.kind == "stat" else GRAPH_HEIGHT
            yield None, panel, GridPos(h=tall, w=panel.width, x=x, y=y)
            x, height = x + panel.width, max(height, tall)
        y += height


def to_dashboard(board: Board) -> dict[str, Any]:
    """Return the JSON object of a dashboard."""
    builder = (
        dashboard.Dashboard(board.title)
        .uid(f"kafka-metal-{board.name}")
        .description(board.description)
        .tags(["kafka-metal"])
        .refresh("30s")
        .time("now-3h", "now")
        .timezone("browser")
        .readonly()
        .with_variable(
            dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus")
        )
        .with_variable(
            dashboard.QueryVariable("cluster")
            .label("Cluster")
            .datasource(SOURCE)
            .query('label_values(up{job="kafka"}, cluster)')
            .refresh(VariableRefresh.ON_DASHBOARD_LOAD)
        )
        .link(
            dashboard.DashboardLink("Kafka")
            .type(DashboardLinkType.DASHBOARDS)
            .tags(["kafka-metal"])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
    )
    for number, (title, panel, position) in enumerate(layout(board), start=1):
        if panel is None:
            builder.with_row(dashboard.Row(title or "").id(number).grid_pos(position))
        else:
            builder.with_panel(panel_builder(panel, number, position))
    written: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True).encode(builder.build()))
    for variable in written["templating"]["list"]:
        # The library adds these keys to all variables; they are valid only for intervals.
        for key in ("auto", "auto_count", "auto_min"):
            del variable[key]
    return written


def dashboard_text(board: Board) -> str:
    """Return the content of a dashboard's file."""
    return json.dumps(to_dashboard(board), indent=1, sort_keys=True) + "\n"
