"""Questions to Prometheus over its HTTP API."""

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

PATIENCE_S = 30.0
LEGEND = re.compile(r"\{\{(\w+)\}\}")


class AskError(Exception):
    """Prometheus does not answer, or refuses; the text says which and why."""


@dataclass(frozen=True)
class Span:
    """From when to when, in seconds since 1970, and how many seconds between two values."""

    start: float
    end: float
    step: float


@dataclass(frozen=True)
class Line:
    """One series: its name, moments in seconds since 1970, and its values; NaN is left out."""

    name: str
    moments: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Prometheus:
    """The server at ``url``, asked about one cluster.

    ``login`` is name:password where it asks for them.
    """

    url: str
    cluster: str
    login: str = field(default="", repr=False)

    def over(self, queries: Sequence[Query], span: Span) -> list[Line]:
        """The lines of a panel."""
        words = {"start": span.start, "end": span.end, "step": span.step}
        return [
            _line(each, query.legend)
            for query in queries
            for each in self.series("query_range", query.promql, words)
        ]

    def now(self, query: Query, moment: float) -> float | None:
        """The one value of a panel; None when there is none."""
        for each in self.series("query", query.promql, {"time": moment}):
            value = float(each["value"][1])
            return None if math.isnan(value) else value
        return None

    def series(self, way: str, promql: str, words: dict[str, float]) -> list[dict[str, Any]]:
        """What the API answers to an expression; ``way`` is ``query`` or ``query_range``."""
        expression = promql.replace("$cluster", self.cluster)
        asked = urllib.parse.urlencode({"query": expression, **words})
        url = f"{self.url.rstrip('/')}/api/v1/{way}?{asked}"
        request = urllib.request.Request(url)
        if self.login:
            shown = base64.b64encode(self.login.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {shown}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise AskError(f"{self.url} refuses {expression}: {error.read()[:300]!r}") from error
        except (OSError, ValueError) as error:
            raise AskError(f"{self.url} does not answer: {error}") from error
        return list(found["data"]["result"])


def _line(series: dict[str, Any], legend: str) -> Line:
    labels = {key: str(value) for key, value in series["metric"].items() if key != "__name__"}
    name = LEGEND.sub(lambda word: labels.get(word[1], ""), legend) or ", ".join(labels.values())
    points = [(float(when), float(value)) for when, value in series["values"]]
    kept = [(when, value) for when, value in points if math.isfinite(value)]
    return Line(name, tuple(when for when, _ in kept), tuple(value for _, value in kept))
