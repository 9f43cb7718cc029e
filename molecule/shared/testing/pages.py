"""Pages of Spark, Prometheus and Alertmanager, opened as their operator does."""

import base64
import json
import re
import urllib.request
from typing import Any

from testing import access


def auth_header(pages: str = "spark-pages") -> dict[str, str]:
    """The header with which the operator comes in; none where pages ask nobody."""
    file = access.folder / pages if access.folder else None
    if file is None or not file.exists():
        return {}
    (login,) = re.findall('"(.+)"', file.read_text(encoding="utf-8"))
    return {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def get(endpoint: str, path: str = "/json/", seconds: float = 5) -> Any:
    """What a page says in JSON."""
    get_monitoring = urllib.request.Request(f"http://{endpoint}{path}", headers=auth_header())
    with urllib.request.urlopen(get_monitoring, timeout=seconds) as answer:
        return json.load(answer)


def get_monitoring(url: str, seconds: float = 10) -> Any:
    """What Prometheus or Alertmanager says in JSON."""
    question = urllib.request.Request(url, headers=auth_header("monitoring-web"))
    with urllib.request.urlopen(question, timeout=seconds) as answer:
        return json.load(answer)
