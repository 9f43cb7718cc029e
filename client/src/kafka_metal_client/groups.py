"""The screen of ``make groups``: consumer groups, their topics and lag."""

from kafka_metal_client.state import State
from kafka_metal_client.tables import GREEN, YELLOW, Cell, Paint, number, table

COLUMNS = ("group", "state", "members", "lag", "topics")
PARTITIONS = ("topic", "partition", "offset", "end", "lag")


def render(found: State, paint: Paint) -> str:
    """Return a table of the groups; for a single group also its members and partitions."""
    groups = found.get("groups") or {}
    lines = _steps(found)
    if not groups:
        lines.append("There are no consumer groups.")
    else:
        lines += table(COLUMNS, [_row(name, group) for name, group in groups.items()], paint)
    if len(groups) == 1:
        (group,) = groups.values()
        lines += _members(group)
        if group.get("partitions"):
            rows = [[_cell(each.get(key)) for key in PARTITIONS] for each in group["partitions"]]
            lines += ["", *table(PARTITIONS, rows, paint)]
    if count := found.get("not_listed"):
        noun = "group" if count == 1 else "groups"
        lines += ["", f"Not listed: {count} {noun} of the platform's services. G=NAME shows one."]
    return "\n".join(lines) + "\n"


def _steps(found: State) -> list[str]:
    """Return the lines about steps that were done, or would be in a dry run."""
    steps = list(found.get("steps") or [])
    if not steps:
        return []
    head = "Would be done:" if found.get("dry") else "Done:"
    return [head, *(f"  {step}" for step in steps), ""]


def _row(name: str, group: State) -> list[Cell]:
    lag = group.get("lag")
    return [
        name,
        str(group.get("state", "?")),
        number(len(group.get("members") or [])),
        (number(lag), YELLOW if lag else GREEN),
        ", ".join(group.get("topics") or []) or "-",
    ]


def _members(group: State) -> list[str]:
    members = [f"member {each['client']} on {each['host']}" for each in group.get("members") or []]
    return ["", *members] if members else []


def _cell(value: object) -> str:
    return number(value) if isinstance(value, int | float) else str(value or "-")
