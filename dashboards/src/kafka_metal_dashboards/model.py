"""Data model of dashboards: panels with their queries, units and descriptions."""

from dataclasses import dataclass

# Names of units in Grafana.
COUNT, RATE, BYTES, BYTE_RATE = "short", "cps", "bytes", "Bps"
SECONDS, RATIO, STATE, MOMENT = "s", "percentunit", "bool", "dateTimeFromNow"

# Reasons why a panel of a healthy cluster may be empty.
NO_GROUPS = "Empty while no group commits offsets to Kafka. Pipelines store offsets in checkpoints."
NO_SMART = "Empty for disks without SMART data, such as disks of virtual machines."
NO_ROOT = "Empty if the node exporter cannot read the root file system of its machine."


@dataclass(frozen=True)
class Query:
    """A PromQL expression with ``{C}`` for the matcher of the selected cluster.

    ``legend`` is the template of the names of its lines.
    """

    expr: str
    legend: str = ""

    @property
    def promql(self) -> str:
        """Return the expression with the matcher of the cluster."""
        return " ".join(self.expr.replace("{C}", 'cluster="$cluster"').split())


@dataclass(frozen=True)
class Panel:
    """A panel of ``kind`` graph or stat. A stat is red from the value ``bad`` on.

    With ``low`` it is red below ``bad``. ``empty``: why the panel of a healthy cluster may have no
    data; without it missing data is an error.
    """

    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    kind: str = "graph"
    bad: float | None = None
    low: bool = False
    width: int = 8
    empty: str = ""


@dataclass(frozen=True)
class Board:
    """A dashboard with its rows: titles and panels."""

    name: str
    title: str
    description: str
    rows: tuple[tuple[str, tuple[Panel, ...]], ...]

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Return all panels in order."""
        return tuple(panel for _, panels in self.rows for panel in panels)


def graph(
    title: str,
    description: str,
    unit: str,
    *queries: tuple[str, str],
    width: int = 8,
    empty: str = "",
) -> Panel:
    """Return a panel with lines over time for each (expression, legend)."""
    return Panel(
        title, description, unit, tuple(Query(*each) for each in queries), width=width, empty=empty
    )


def stat(
    title: str,
    description: str,
    unit: str,
    expr: str,
    *,
    bad: float | None = None,
    low: bool = False,
    empty: str = "",
) -> Panel:
    """Return a panel with the current value, in red from ``bad`` on."""
    return Panel(title, description, unit, (Query(expr),), "stat", bad, low, width=4, empty=empty)
