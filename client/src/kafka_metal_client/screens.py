"""Parts common to the status screen and the final report."""

from typing import Any

from kafka_metal_client.state import State, container_state, service_problem
from kafka_metal_client.tables import GREEN, RED, YELLOW, Paint, number, table

SERVICE_COLUMNS = ("service", "kind", "health", "endpoint", "note")


def services(state: State, paint: Paint) -> list[str]:
    """Return one line per service, in the order of the state."""
    rows = []
    for service in state.get("services", ()):
        text, colour = _health(service)
        note = str(service.get("note") or "")
        rows.append(
            [service["name"], service.get("kind", ""), (text, colour), _endpoint(service), note]
        )
    return table(SERVICE_COLUMNS, rows, paint)


def cluster(state: State, paint: Paint) -> list[str]:
    """Return brokers, controller and partitions in one line; empty if the state has none."""
    info = state.get("cluster_info")
    if not info:
        return []
    if not info.get("reachable", True):
        return [paint("no broker responds", RED)]
    total = int(info.get("partitions") or 0)
    not_in_sync = set(info.get("under_replicated") or ()) | set(info.get("offline") or ())
    in_sync = f"in-sync partitions {total - len(not_in_sync):,}/{total:,}"
    parts = [
        f"brokers {len(info.get('brokers') or ())}",
        f"controller {_or_none(info.get('controller_id'))}",
        f"topics {number(info.get('topics'))}",
        paint(in_sync, YELLOW if not_in_sync else GREEN),
    ]
    return ["  ".join(parts), *_certificates(state)]


def _certificates(state: State) -> list[str]:
    """Return the line about the certificate that expires first."""
    return [
        f"certificates: the first expires in {each['days_left']:,} days ({each['name']})"
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
