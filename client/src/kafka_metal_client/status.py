"""The screen of ``make status``: services, pipelines and problems of the whole platform."""

from kafka_metal_client import screens
from kafka_metal_client.state import State, pipeline_problems, problems
from kafka_metal_client.tables import BOLD, GREEN, RED, YELLOW, Paint, number, table

PIPELINE_COLUMNS = ("pipeline", "state", "output", "batch", "lag", "records/s", "updated")


def render(state: State, paint: Paint) -> tuple[str, list[str]]:
    """Return the screen's text and the list of problems."""
    found = problems(state)
    name = state.get("cluster", "")
    lines = [paint(f"Cluster {name}", BOLD), *screens.cluster(state, paint), ""]
    lines += screens.services(state, paint)
    if state.get("pipelines"):
        lines += ["", *_pipelines(state["pipelines"], paint)]
    lines.append("")
    lines += [paint(message, YELLOW) for message in dict.fromkeys(state.get("notes") or ())]
    if found:
        lines.append(paint(f"{len(found)} problem{'s' if len(found) > 1 else ''}:", RED))
        lines += [f"  {message}" for message in found]
    else:
        lines.append(paint("All is well.", GREEN))
    return "\n".join(lines) + "\n", found


def _pipelines(pipelines: list[State], paint: Paint) -> list[str]:
    rows: list[list[str | tuple[str, str]]] = []
    for pipeline in pipelines:
        bad = any(pipeline_problems(pipeline))
        state = "unreachable" if pipeline.get("error") else str(pipeline.get("state", "unknown"))
        head: list[str | tuple[str, str]] = [
            str(pipeline.get("name", "?")), (state, RED if bad else GREEN)
        ]  # fmt: skip
        for output, status in (pipeline.get("outputs") or {"-": {}}).items():
            rows.append([*head, output, *_output(status)])
            head = ["", ""]
    return table(PIPELINE_COLUMNS, rows, paint)


def _output(status: State) -> list[str]:
    return [
        number(status.get("batch")),
        number(status.get("lag")),
        number(status.get("rows_per_second")),
        str(status.get("updated") or "-"),
    ]
