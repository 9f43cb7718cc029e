"""Dashboards as entries: what a panel shows, in which unit, and what it means."""

from dataclasses import dataclass

# Units by the words Grafana has for them.
COUNT, RATE, BYTES, BYTE_RATE = "short", "cps", "bytes", "Bps"
SECONDS, RATIO, STATE, MOMENT = "s", "percentunit", "bool", "dateTimeFromNow"

# Why a panel of a healthy cluster may be empty.
NO_GROUPS = "Empty while no group commits offsets to Kafka; pipelines keep theirs in checkpoints."
NO_SMART = "Empty where disks tell nothing of their health, as those of virtual machines."
NO_ROOT = "Empty where the node exporter does not see the root of its machine."


@dataclass(frozen=True)
class Query:
    """One expression; ``legend`` names its lines by their labels.

    ``{C}`` stands for the matcher of the cluster that is looked at.
    """

    expr: str
    legend: str = ""

    @property
    def promql(self) -> str:
        """The expression as it is sent."""
        return " ".join(self.expr.replace("{C}", 'cluster="$cluster"').split())


@dataclass(frozen=True)
class Panel:
    """One picture. ``kind`` is graph or stat; a stat turns red from ``bad`` on.

    With ``low`` a value below ``bad`` is the bad one. ``empty`` says why a healthy cluster has
    nothing to show here; without it no data is an error.
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
    """One dashboard: rows of panels under their titles."""

    name: str
    title: str
    description: str
    rows: tuple[tuple[str, tuple[Panel, ...]], ...]

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All its panels in order."""
        return tuple(panel for _, panels in self.rows for panel in panels)


def graph(
    title: str,
    description: str,
    unit: str,
    *queries: tuple[str, str],
    width: int = 8,
    empty: str = "",
) -> Panel:
    """Lines over time, one for each (expression, legend)."""
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
    """The value of now, in red from ``bad`` on."""
    return Panel(title, description, unit, (Query(expr),), "stat", bad, low, width=4, empty=empty)
