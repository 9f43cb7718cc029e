"""Query Prometheus over its HTTP API."""

import base64
import json
import math
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import Query

TIMEOUT_S = 30.0
LEGEND = re.compile(r"\{\{(\w+)\}\}")


class QueryError(Exception):
    """Prometheus does not respond or rejects a query, or an input of the page is invalid."""


@dataclass(frozen=True)
class Span:
    """A time range in seconds since 1970, and the step between two values in seconds."""

    start: float
    end: float
    step: float


@dataclass(frozen=True)
class Line:
    """A named series: times in seconds since 1970, and values without NaN."""

    name: str
    times: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Prometheus:
    """The server at ``url``, queried for one cluster.

    ``login``: name:password, empty without a password.
    """

    url: str
    cluster: str
    login: str = field(default="", repr=False)

    def over(self, queries: Sequence[Query], span: Span) -> list[Line]:
        """Return the lines of a graph."""
        parameters = {"start": span.start, "end": span.end, "step": span.step}
        return [
            _line(each, query.legend)
            for query in queries
            for each in self.series("query_range", query.promql, parameters)
        ]

    def now(self, query: Query, time: float) -> float | None:
        """Return the value of a stat; None without data."""
        for each in self.series("query", query.promql, {"time": time}):
            value = float(each["value"][1])
            return None if math.isnan(value) else value
        return None

    def series(
        self, endpoint: str, promql: str, parameters: dict[str, float]
    ) -> list[dict[str, Any]]:
        """Return the series of an expression; ``endpoint``: ``query`` or ``query_range``."""
        expression = promql.replace("$cluster", self.cluster)
        encoded = urllib.parse.urlencode({"query": expression, **parameters})
        url = f"{self.url.rstrip('/')}/api/v1/{endpoint}?{encoded}"
        request = urllib.request.Request(url)
        if self.login:
            credentials = base64.b64encode(self.login.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {credentials}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                found = json.load(response)
        except urllib.error.HTTPError as error:
            raise QueryError(f"{self.url} rejects {expression}: {error.read()[:300]!r}") from error
        except (OSError, ValueError) as error:
            raise QueryError(f"{self.url} does not respond: {error}") from error
        return list(found["data"]["result"])


def _line(series: dict[str, Any], legend: str) -> Line:
    labels = {key: str(value) for key, value in series["metric"].items() if key != "__name__"}
    name = LEGEND.sub(lambda match: labels.get(match[1], ""), legend) or ", ".join(labels.values())
    points = [(float(when), float(value)) for when, value in series["values"]]
    kept = [(when, value) for when, value in points if math.isfinite(value)]
    return Line(name, tuple(when for when, _ in kept), tuple(value for _, value in kept))
