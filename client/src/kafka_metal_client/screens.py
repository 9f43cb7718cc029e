"""Parts that the status screen and the final report share."""

from typing import Any

from kafka_metal_client.state import State, container_state, service_problem
from kafka_metal_client.tables import GREEN, RED, YELLOW, Paint, number, table

SERVICE_COLUMNS = ("service", "kind", "health", "endpoint", "note")


def services(state: State, paint: Paint) -> list[str]:
    """One line per service, in the order of the file."""
    rows = []
    for service in state.get("services", ()):
        text, colour = _health(service)
        note = str(service.get("note") or "")
        rows.append(
            [service["name"], service.get("kind", ""), (text, colour), _endpoint(service), note]
        )
    return table(SERVICE_COLUMNS, rows, paint)


def cluster(state: State, paint: Paint) -> list[str]:
    """Brokers, controller and partitions in one line; empty when nothing is known."""
    info = state.get("cluster_info")
    if not info:
        return []
    if not info.get("reachable", True):
        return [paint("no broker answers", RED)]
    total = int(info.get("partitions") or 0)
    behind = set(info.get("under_replicated") or ()) | set(info.get("offline") or ())
    in_sync = f"in-sync partitions {total - len(behind):,}/{total:,}"
    parts = [
        f"brokers {len(info.get('brokers') or ())}",
        f"controller {_or_none(info.get('controller_id'))}",
        f"topics {number(info.get('topics'))}",
        paint(in_sync, YELLOW if behind else GREEN),
    ]
    return ["  ".join(parts), *_certificates(state)]


def _certificates(state: State) -> list[str]:
    """The certificate that ends first."""
    return [
        f"certificates: the first ends in {each['days_left']:,} days ({each['name']})"
        for each in state.get("certificates") or ()
    ]


def _or_none(value: Any) -> str:
    return "none" if value is None else str(value)


def _health(service: State) -> tuple[str, str]:
    state = container_state(service)
    health = str(service.get("health") or "")
    if not service_problem(service):
        return health if health not in ("", "none") else state, GREEN
    if health == "starting" and state == "running":
        return health, YELLOW
    return health if state == "running" else state, RED


def _endpoint(service: State) -> str:
    return str(service.get("endpoint") or "")
