"""The screen of ``make status``: services, pipelines and problems of the whole platform."""

from kafka_metal_client import screens
from kafka_metal_client.state import State, problems
from kafka_metal_client.tables import BOLD, GREEN, RED, Paint, number, table

GOOD_STATES = ("running", "active")
PIPELINE_COLUMNS = (
    "pipeline",
    "state",
    "invalid",
    "output",
    "batch",
    "lag",
    "records/s",
    "updated",
)


def render(state: State, paint: Paint) -> tuple[str, list[str]]:
    """Return the screen's text and the list of problems."""
    name = state.get("cluster", "")
    lines = [paint(f"Cluster {name}", BOLD), *screens.cluster(state, paint)]
    if state.get("services"):
        lines += ["", *screens.services(state, paint)]
    if state.get("pipelines"):
        lines += ["", *_pipelines(state["pipelines"], paint)]
    lines += ["", *screens.problems(state, paint)]
    return "\n".join(lines) + "\n", problems(state)


def _pipelines(pipelines: list[State], paint: Paint) -> list[str]:
    rows: list[list[str | tuple[str, str]]] = []
    for pipeline in pipelines:
        state = str(pipeline.get("state", "unknown"))
        colour = GREEN if state.lower() in GOOD_STATES else RED
        head: list[str | tuple[str, str]] = [
            str(pipeline.get("name", "?")), (state, colour), _invalid(pipeline)
        ]  # fmt: skip
        for output, status in (pipeline.get("outputs") or {"-": {}}).items():
            rows.append([*head, output, *_output(status)])
            head = ["", "", ""]
    return table(PIPELINE_COLUMNS, rows, paint)


def _output(status: State) -> list[str]:
    return [
        number(status.get("batch")),
        number(status.get("lag")),
        number(status.get("rows_per_second")),
        str(status.get("updated") or "-"),
    ]


def _invalid(pipeline: State) -> str:
    """Return the number of invalid records since the driver started."""
    return number((pipeline.get("records") or {}).get("invalid"))
