"""Entries as Grafana's own JSON."""

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
    """Green, and red beyond what is bad; without that no colour says anything."""
    if panel.bad is None:
        steps = [Threshold(value=None, color="blue")]
    else:
        first, then = ("red", "green") if panel.low else ("green", "red")
        steps = [Threshold(value=None, color=first), Threshold(value=panel.bad, color=then)]
    return ThresholdsConfig(mode=ThresholdsMode.ABSOLUTE, steps=steps)


def picture(panel: Panel, number: int, place: GridPos) -> Any:
    """One panel's builder."""
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
    builder.id(number).title(panel.title).unit(panel.unit).datasource(SOURCE).grid_pos(place)
    builder.description(f"{panel.description} {panel.empty}".strip())
    for index, query in enumerate(panel.queries):
        target = prometheus.Dataquery().expr(query.promql).ref_id(chr(ord("A") + index))
        target = target.legend_format(query.legend or "__auto")
        builder.with_target(target.instant() if panel.kind == "stat" else target.range())
    return builder


def places(board: Board) -> Iterator[tuple[str | None, Panel | None, GridPos]]:
    """Rows and panels from left to right, line by line, each with its place."""
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


def dashboard_of(board: Board) -> dict[str, Any]:
    """The dashboard as Grafana reads it."""
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
    for number, (title, panel, place) in enumerate(places(board), start=1):
        if panel is None:
            builder.with_row(dashboard.Row(title or "").id(number).grid_pos(place))
        else:
            builder.with_panel(picture(panel, number, place))
    written: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True).encode(builder.build()))
    for variable in written["templating"]["list"]:
        # Of variables that are intervals; the library gives them to all.
        for key in ("auto", "auto_count", "auto_min"):
            del variable[key]
    return written


def text_of(board: Board) -> str:
    """The file of a dashboard."""
    return json.dumps(dashboard_of(board), indent=1, sort_keys=True) + "\n"
