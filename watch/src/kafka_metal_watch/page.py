"""Render the last state of a cluster as a read-only HTML page without external resources.

Clients choose the names of topics and groups, so the template escapes all of them.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from ._problems import arrangement, problem_kinds
from ._problems.messages import printable_line, utc_time
from ._problems.platform_problem import Problem
from .durations import duration
from .findings import expires_soon, findings
from .lag import Lag
from .metrics import ClusterState
from .overview import Broker, Topic

SCRIPT = files(__package__).joinpath("templates", "page.js").read_text(encoding="utf-8")
_DIGEST = b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
# The policy allows no external resources, no framing, and only the script of the page.
HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    (
        "Content-Security-Policy",
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_DIGEST}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
)
JSON_HEADERS = (("Content-Type", "application/json"), ("Cache-Control", "no-store"))
# Headers by path.
PAGES = {"/": HEADERS, "/problems.json": JSON_HEADERS}

# Seconds after which a browser loads the page again: as often as brokers are read.
REFRESH_S = 5

Start = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]
# A value and its CSS class: bad, warn or empty.
Cell = tuple[object, str]
Row = tuple[Cell, ...]
State = Mapping[str, Any] | None


@dataclass(frozen=True)
class GroupLag:
    """Lag of a group on a topic: sum of ``records``, maximum of ``seconds`` of its partitions.

    ``members`` is None if they could not be read.
    """

    group: str
    topic: str
    members: int | None
    records: int
    seconds: float


def group_lags(
    lags: Iterable[Lag], members: Mapping[tuple[str, str], int], unread: Container[str] = ()
) -> list[GroupLag]:
    """Return the lag by group and topic, including groups without committed offsets.

    ``unread``: groups of which something could not be read.
    """
    by_topic: dict[tuple[str, str], list[Lag]] = {key: [] for key in members}
    for lag in lags:
        by_topic.setdefault((lag.group, lag.topic), []).append(lag)
    return [
        GroupLag(
            *key,
            members=members.get(key, None if key[0] in unread else 0),
            records=sum(lag.records for lag in found),
            seconds=max((lag.seconds for lag in found), default=0.0),
        )
        for key, found in sorted(by_topic.items())
    ]


@dataclass(frozen=True)
class Table:
    """A table: text columns, then number columns. ``empty`` is displayed without rows."""

    title: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: list[Row]
    empty: str = ""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return the columns with their CSS classes."""
        return [(name, "") for name in self.texts] + [(name, "number") for name in self.numbers]


def tables(found: ClusterState, now: float) -> list[Table]:
    """Return the tables of the page; optional services without instances have no table."""
    seen = found.overview
    pipelines = sorted(found.pipelines.items())
    masters = sorted(found.masters.items())
    ends = sorted(found.certificates.items())
    unread = {name for kind, name in found.unread if kind == "group"}
    lists = [
        Table(
            "Brokers",
            ("Broker", "Endpoint", "Rack", "Role"),
            ("Leaders", "Replicas"),
            [_broker(each) for each in seen.brokers],
            "No broker is known yet.",
        ),
        Table(
            "Topics",
            ("Topic",),
            ("Partitions", "Replication factor", "Under-replicated", "Leaderless"),
            [_topic(each) for each in seen.topics],
            "There are no topics.",
        ),
        Table(
            "Groups",
            ("Group", "Topic"),
            ("Members", "Lag (records)", "Lag (time)"),
            [_group(each) for each in group_lags(found.lags, found.members, unread)],
            "No group has committed an offset.",
        ),
    ]
    if pipelines:
        rows = [row for each in pipelines for row in _pipeline(*each)]
        columns = ("Pipeline", "State", "Output"), ("Lag (records)", "Records/s")
        lists.append(Table("Pipelines", *columns, rows))
    if masters:
        rows = [_master(*each) for each in masters]
        lists.append(Table("Spark", ("Master", "State"), ("Workers",), rows))
    if ends:
        rows = [_certificate(where, until - now, found) for where, until in ends]
        lists.append(Table("Certificates", ("Endpoint",), ("Expires in",), rows))
    return lists


def _cell(value: object, mark: str = "", when: bool = True) -> Cell:
    """A value that has its mark only ``when`` something is wrong."""
    return printable_line(value) if isinstance(value, str) else value, mark if when else ""


def _number(value: float | None, form: str) -> str:
    """Return a formatted number; empty for None."""
    return "" if value is None else format(value, form)


def _broker(broker: Broker) -> Row:
    """Return the row of a broker; an unregistered one is marked."""
    return (
        _cell(broker.id),
        _cell(broker.endpoint or "not registered", "bad", not broker.registered),
        _cell(broker.rack),
        _cell("controller" if broker.controller else ""),
        _cell(broker.leaders),
        _cell(broker.replicas),
    )


def _topic(topic: Topic) -> Row:
    """Return the row of a topic; under-replicated and leaderless partitions are marked."""
    return (
        _cell(topic.name),
        _cell(topic.partitions),
        _cell(topic.replication_factor),
        _cell(topic.under_replicated, "warn", topic.under_replicated > 0),
        _cell(topic.leaderless, "bad", topic.leaderless > 0),
    )


def _group(lag: GroupLag) -> Row:
    """Return the row of a group on a topic; lag without members is marked."""
    suspicious = lag.members is None or (lag.records > 0 and not lag.members)
    return (
        _cell(lag.group),
        _cell(lag.topic),
        _cell("unknown" if lag.members is None else lag.members, "warn", suspicious),
        _cell(_number(lag.records, ",")),
        _cell(duration(lag.seconds), "warn", lag.seconds >= 60),
    )


def _pipeline(name: str, state: State) -> list[Row]:
    """Return a row for each output; one row without output if the driver does not respond."""
    status = state["state"] if state else "does not respond"
    outputs = state["outputs"] if state else {"": {}}
    return [
        (
            _cell(name),
            _cell(status, "bad", status != "running"),
            _cell(output),
            _cell(_number(progress.get("lag"), ",")),
            _cell(_number(progress.get("rows_per_second"), ",.0f")),
        )
        for output, progress in sorted(outputs.items(), key=lambda each: str(each[0]).lower())
    ]


def _master(name: str, state: State) -> Row:
    """Return the row of a Spark master; only the leader has workers."""
    return (
        _cell(name),
        _cell(state["status"].lower() if state else "does not respond", "bad", not state),
        _cell(state.get("aliveworkers", "") if state and state["status"] == "ALIVE" else ""),
    )


def _certificate(endpoint: str, left: float, found: ClusterState) -> Row:
    """Return the row of a certificate; ``left``: seconds until it expires."""
    mark = "warn" if left > 0 else "bad"
    text = duration(left) if left > 0 else "has expired"
    return _cell(endpoint), _cell(text, mark, expires_soon(found, left))


def line_of(problem: Problem) -> str:
    """Return a problem as text, with its alerts and since when."""
    more = [f"since {utc_time(problem.since)}"] if problem.since else []
    # The name of an alert is in its text already.
    alerts = [name for name in problem.alerts if name not in problem.text]
    more += [f"alert {', '.join(alerts)}"] if alerts else []
    text = f"{problem.text} ({', '.join(more)})" if more else problem.text
    return printable_line(text)


def problems_json(found: ClusterState, cluster: str, now: float, interval: float) -> str:
    """Return the problems as JSON, for `make status` and other programs."""
    listed = arrangement.as_list(findings(found, now, interval))
    return json.dumps({"cluster": cluster, "at": now, "read": found.read, "problems": listed})


ENVIRONMENT = Environment(
    loader=PackageLoader("kafka_metal_watch", "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["duration"] = duration
ENVIRONMENT.filters["line"] = line_of
ENVIRONMENT.filters["visible"] = printable_line


def page(
    found: ClusterState, cluster: str, links: Mapping[str, str], now: float, interval: float
) -> str:
    """Return the HTML of the page; ``links``: pages of other clusters by name."""
    every = findings(found, now, interval)
    notes = [each.problem.text for each in every if each.problem.level == problem_kinds.NOTE]
    return ENVIRONMENT.get_template("cluster.html").render(
        cluster=cluster,
        links=sorted(links.items()),
        count=arrangement.count(every),
        findings=[each for each in every if each.problem.level != problem_kinds.NOTE],
        pending=", ".join(found.pending),
        notes=[*found.operation.notes(now), *map(printable_line, notes)],
        age=now - found.read if found.read else None,
        refresh=REFRESH_S,
        script=SCRIPT,
        tables=tables(found, now),
    )


def application(
    metrics: Application, render: Callable[[], str], problems: Callable[[], str]
) -> Application:
    """Return an application for the page at /, /problems.json and /metrics, read-only."""

    def respond(request: dict[str, Any], start: Start) -> Iterable[bytes]:
        if request["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start("405 Method Not Allowed", [("Allow", "GET, HEAD")])
            return [b""]
        if request["PATH_INFO"] == "/metrics":
            return metrics(request, start)
        if request["PATH_INFO"] not in PAGES:
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"Not found. Paths: / (the page), /problems.json and /metrics.\n"]
        text = (render() if request["PATH_INFO"] == "/" else problems()).encode()
        # A copy, because the server appends the Content-Length of this response to it.
        start("200 OK", list(PAGES[request["PATH_INFO"]]))
        return [text if request["REQUEST_METHOD"] == "GET" else b""]

    return respond
