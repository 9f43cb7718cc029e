"""What was seen last of a cluster, as one page that changes nothing and needs nothing else.

Names of topics and groups are what clients chose: the template escapes all of them.
"""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from .lag import Lag
from .metrics import Found
from .overview import Broker, Topic

SCRIPT = files(__package__).joinpath("templates", "page.js").read_text(encoding="utf-8")
_DIGEST = b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
# Nothing is loaded from anywhere, nobody frames it, and no script runs but this one.
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
UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
# A certificate that ends within so many seconds is marked.
SOON_S = 14 * 86400

# An engine runs a health check every 10 s; one that has run none for so long is dead, or hangs.
ENGINE_S = 60

Start = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]
# A value and how bad it is: bad, warn or nothing.
Cell = tuple[object, str]
Row = tuple[Cell, ...]
State = Mapping[str, Any] | None


@dataclass(frozen=True)
class Reading:
    """A group on a topic: ``records`` of all its partitions, ``seconds`` of the worst."""

    group: str
    topic: str
    members: int
    records: int
    seconds: float


def readings(lags: Iterable[Lag], members: Mapping[tuple[str, str], int]) -> list[Reading]:
    """By group and topic, also where nothing is committed yet."""
    by_way: dict[tuple[str, str], list[Lag]] = {way: [] for way in members}
    for lag in lags:
        by_way.setdefault((lag.group, lag.topic), []).append(lag)
    return [
        Reading(
            *way,
            members=members.get(way, 0),
            records=sum(lag.records for lag in found),
            seconds=max((lag.seconds for lag in found), default=0.0),
        )
        for way, found in sorted(by_way.items())
    ]


def problems(found: Found, now: float, interval: float) -> list[str]:
    """What a person should know first, in messages."""
    brokers, topics = found.overview.brokers, found.overview.topics
    away = [str(each.id) for each in brokers if not each.registered]
    leaderless = sum(each.leaderless for each in topics)
    behind = sum(each.behind for each in topics)
    silent = sorted(name for name, state in found.pipelines.items() if state is None)
    said = []
    if not brokers:
        said.append("The cluster has not answered yet.")
    elif now - found.read > 3 * interval:
        said.append(f"The cluster has not answered for {span(now - found.read)}.")
    if away:
        said.append(f"Not registered: broker {', '.join(away)}.")
    if leaderless:
        said.append(f"{leaderless} partitions have no leader: nobody reads or writes them.")
    if behind:
        said.append(f"{behind} partitions lack a replica in sync.")
    said += [
        f"The container engine of {host} has not answered for {span(seconds)}."
        for host, seconds in sorted(found.engines.items())
        if seconds > ENGINE_S
    ]
    if silent:
        said.append(f"Does not answer: pipeline {', '.join(silent)}.")
    return said + found.operation.problems(now)


def span(seconds: float) -> str:
    """A time as people say it, such as ``3 min``."""
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return "0 s"


@dataclass(frozen=True)
class Table:
    """Rows under columns, words before numbers; ``empty`` is said when there are no rows."""

    title: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: list[Row]
    empty: str = ""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Each with its class."""
        return [(name, "") for name in self.words] + [(name, "number") for name in self.numbers]


def tables(found: Found, now: float) -> list[Table]:
    """All that the page lists; a cluster without pipelines, say, has no table of them."""
    seen = found.overview
    pipelines = sorted(found.pipelines.items())
    masters = sorted(found.masters.items())
    ends = sorted(found.certificates.items())
    lists = [
        Table(
            "Brokers",
            ("Broker", "Endpoint", "Rack", "Role"),
            ("Leads", "Holds"),
            [_broker(each) for each in seen.brokers],
            "None is known yet.",
        ),
        Table(
            "Topics",
            ("Topic",),
            ("Partitions", "Replicas", "Not in sync", "Without a leader"),
            [_topic(each) for each in seen.topics],
            "There are none.",
        ),
        Table(
            "Groups",
            ("Group", "Topic"),
            ("Members", "Records behind", "Time behind"),
            [_group(each) for each in readings(found.lags, found.members)],
            "No group has committed an offset.",
        ),
    ]
    if pipelines:
        rows = [row for each in pipelines for row in _pipeline(*each)]
        columns = ("Pipeline", "State", "Output"), ("Records behind", "Records/s")
        lists.append(Table("Pipelines", *columns, rows))
    if masters:
        rows = [_master(*each) for each in masters]
        lists.append(Table("Spark", ("Master", "State"), ("Workers",), rows))
    if ends:
        rows = [_certificate(where, until - now) for where, until in ends]
        lists.append(Table("Certificates", ("Endpoint",), ("Ends in",), rows))
    return lists


def _cell(value: object, mark: str = "", when: bool = True) -> Cell:
    """A value that has its mark only ``when`` something is wrong."""
    return visible(value) if isinstance(value, str) else value, mark if when else ""


def visible(text: str) -> str:
    """``text`` without control characters, also those that turn the direction of others."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def _figure(number: float | None, form: str) -> str:
    """A number as people read it; nothing for one that was not told."""
    return "" if number is None else format(number, form)


def _broker(broker: Broker) -> Row:
    """A broker; one that is away is bad."""
    return (
        _cell(broker.id),
        _cell(broker.endpoint or "not registered", "bad", not broker.registered),
        _cell(broker.rack),
        _cell("controller" if broker.controls else ""),
        _cell(broker.leads),
        _cell(broker.holds),
    )


def _topic(topic: Topic) -> Row:
    """A topic, with how many of its partitions are not as they should be."""
    return (
        _cell(topic.name),
        _cell(topic.partitions),
        _cell(topic.copies),
        _cell(topic.behind, "warn", topic.behind > 0),
        _cell(topic.leaderless, "bad", topic.leaderless > 0),
    )


def _group(reading: Reading) -> Row:
    """A group on a topic; records that wait and nobody who reads them are worth a look."""
    return (
        _cell(reading.group),
        _cell(reading.topic),
        _cell(reading.members, "warn", reading.records > 0 and not reading.members),
        _cell(_figure(reading.records, ",")),
        _cell(span(reading.seconds), "warn", reading.seconds >= 60),
    )


def _pipeline(name: str, state: State) -> list[Row]:
    """A row for each output; a driver that does not answer has one without."""
    said = state["state"] if state else "does not answer"
    outputs = state["outputs"] if state else {"": {}}
    return [
        (
            _cell(name),
            _cell(said, "bad", said != "running"),
            _cell(output),
            _cell(_figure(told.get("lag"), ",")),
            _cell(_figure(told.get("rows_per_second"), ",.0f")),
        )
        for output, told in sorted(outputs.items(), key=lambda each: str(each[0]).lower())
    ]


def _master(name: str, state: State) -> Row:
    """A master of Spark; only the one that leads counts workers."""
    return (
        _cell(name),
        _cell(state["status"].lower() if state else "does not answer", "bad", not state),
        _cell(state["aliveworkers"] if state and state["status"] == "ALIVE" else ""),
    )


def _certificate(endpoint: str, left: float) -> Row:
    """A certificate with the seconds that are left of it."""
    mark = "warn" if left > 0 else "bad"
    return _cell(endpoint), _cell(span(left) if left > 0 else "has expired", mark, left < SOON_S)


ENVIRONMENT = Environment(
    loader=PackageLoader("kafka_metal_watch", "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["span"] = span


def page(found: Found, cluster: str, links: Mapping[str, str], now: float, interval: float) -> str:
    """HTML of the whole page; ``links`` are pages of other clusters by name."""
    return ENVIRONMENT.get_template("cluster.html").render(
        cluster=cluster,
        links=sorted(links.items()),
        problems=problems(found, now, interval),
        notes=found.operation.notes(now),
        age=now - found.read if found.read else None,
        interval=interval,
        script=SCRIPT,
        tables=tables(found, now),
    )


def application(figures: Application, render: Callable[[], str]) -> Application:
    """Answer / with the page and /metrics with figures, and nothing else; nothing is changed."""

    def answer(asked: dict[str, Any], start: Start) -> Iterable[bytes]:
        if asked["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start("405 Method Not Allowed", [("Allow", "GET, HEAD")])
            return [b""]
        if asked["PATH_INFO"] == "/metrics":
            return figures(asked, start)
        if asked["PATH_INFO"] != "/":
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"/ is the page, /metrics has figures\n"]
        text = render().encode()
        # A list of its own: the server adds the length of this answer to it.
        start("200 OK", list(HEADERS))
        return [text if asked["REQUEST_METHOD"] == "GET" else b""]

    return answer
