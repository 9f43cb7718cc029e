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

from .figures import Found
from .lag import Lag

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

Start = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


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
    """What a person should know first, in sentences."""
    brokers, topics = found.overview.brokers, found.overview.topics
    away = [str(each.id) for each in brokers if not each.registered]
    headless = sum(each.headless for each in topics)
    behind = sum(each.behind for each in topics)
    silent = sorted(name for name, state in found.pipelines.items() if state is None)
    said = []
    if not brokers:
        said.append("The cluster has not answered yet.")
    elif now - found.read > 3 * interval:
        said.append(f"The cluster has not answered for {span(now - found.read)}.")
    if away:
        said.append(f"Not registered: broker {', '.join(away)}.")
    if headless:
        said.append(f"{headless} partitions have no leader: nobody reads or writes them.")
    if behind:
        said.append(f"{behind} partitions lack a replica in sync.")
    if silent:
        said.append(f"Does not answer: pipeline {', '.join(silent)}.")
    return said


def span(seconds: float) -> str:
    """A time as people say it, such as ``3 min``."""
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return "0 s"


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
        age=now - found.read if found.read else None,
        interval=interval,
        script=SCRIPT,
        overview=found.overview,
        readings=readings(found.lags, found.members),
        pipelines=sorted(found.pipelines.items()),
        masters=sorted(found.masters.items()),
        certificates=[(where, until - now) for where, until in sorted(found.certificates.items())],
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
