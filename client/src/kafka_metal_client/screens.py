"""Parts common to the status screen and the final report."""

from datetime import UTC, datetime
from typing import Any

from kafka_metal_client.state import NOTE, State, container_state, is_well
from kafka_metal_client.tables import GREEN, RED, YELLOW, Cell, Paint, number, table

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


def services_by_kind(state: State, paint: Paint) -> list[str]:
    """Return one line per kind of service, and the rows of services with problems.

    `make status` has a row for each service.
    """
    given = state.get("services", ())
    rows: list[list[Cell]] = []
    for kind in dict.fromkeys(service.get("kind", "") for service in given):
        every = [service for service in given if service.get("kind", "") == kind]
        well = [service for service in every if is_well(service)]
        count = f"{len(well)} of {len(every)}"
        names = [service["name"] for service in every]
        rows.append(
            [
                kind,
                (count, GREEN if len(well) == len(every) else RED),
                names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}",
            ]
        )
    lines = table(("service", "healthy", "instances"), rows, paint)
    bad = {**state, "services": [service for service in given if not is_well(service)]}
    return [*lines, "", *services(bad, paint)] if bad["services"] else lines


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


def problems(state: State, paint: Paint) -> list[str]:
    """Return the problems: each cause with its time and remedy, and below what follows from it.

    One line without problems. Notes come first, tickets of alerts last.
    """
    every = state.get("problems") or ()
    notes = [*(state.get("notes") or ()), *(p["text"] for p in every if p["severity"] == NOTE)]
    lines = [paint(message, YELLOW) for message in dict.fromkeys(notes)]
    urgent, tickets = _split([each for each in every if each["severity"] != NOTE])
    if not urgent and not tickets:
        return [*lines, paint("All is well.", GREEN)]
    count = sum(_places(each) for each in urgent if each["urgent"])
    lines.append(paint(_counted(count, "problem"), RED) if count else paint("No problems.", GREEN))
    for each in urgent:
        lines += _problem(each)
    if tickets:
        lines.append(paint(_counted(sum(map(_places, tickets)), "ticket"), YELLOW))
    for each in tickets:
        lines += _problem(each)
    return lines


def _split(problems: list[State]) -> tuple[list[State], list[State]]:
    """Return problems with all that belongs to an urgent one, and mere tickets."""
    groups: list[list[State]] = []
    for each in problems:
        # A problem without a cause begins a group; the cause of the first one may be a note.
        if not each.get("because") or not groups:
            groups.append([])
        groups[-1].append(each)
    urgent = [any(each["urgent"] for each in group) for group in groups]
    return (
        [
            each
            for group, is_urgent in zip(groups, urgent, strict=True)
            if is_urgent
            for each in group
        ],
        [
            each
            for group, is_urgent in zip(groups, urgent, strict=True)
            if not is_urgent
            for each in group
        ],
    )


def _places(problem: State) -> int:
    """Return the number of places with a problem."""
    return len(problem.get("places") or ("",))


def _counted(count: int, noun: str) -> str:
    """Return the line above a list, such as ``2 problems:``."""
    return f"{count} {noun}{'s' if count > 1 else ''}:"


def _problem(found: State) -> list[str]:
    """Return the lines of one problem; those of an effect are indented."""
    # The name of an alert is in its text already.
    alerts = [name for name in found.get("alerts") or () if name not in found["text"]]
    more = [f"since {_time(found['since'])}"] if found.get("since") else []
    more += [f"alert {', '.join(alerts)}"] if alerts else []
    text = f"{found['text']} ({', '.join(more)})" if more else found["text"]
    if found.get("because"):
        return [f"    so: {text}"]
    command = found.get("command")
    return [f"  {text}", *([f"    -> {command}"] if command else [])]


def _time(seconds: float) -> str:
    """Return a time as text, in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _certificates(state: State) -> list[str]:
    """Return the line about the certificate that expires first."""
    return [
        f"certificates: the first expires in {each['days_left']:,} days ({each['name']})"
        for each in state.get("certificates") or ()
    ]


def _or_none(value: Any) -> str:
    return "none" if value in (None, -1) else str(value)


def _health(service: State) -> tuple[str, str]:
    state = container_state(service)
    health = str(service.get("health") or "")
    if is_well(service):
        return health if health not in ("", "none") else state, GREEN
    if health == "starting" and state == "running":
        return health, YELLOW
    return health if state == "running" else state, RED


def _endpoint(service: State) -> str:
    return str(service.get("endpoint") or "")
