"""Web pages and APIs of Spark, Prometheus and Alertmanager, with the operator's password."""

import base64
import json
import re
import urllib.request
from typing import Any

from testing import access


def auth_header(pages: str = "spark-pages") -> dict[str, str]:
    """Return the operator's Authorization header; empty if pages require no password."""
    file = access.folder / pages if access.folder else None
    if file is None or not file.exists():
        return {}
    (login,) = re.findall('"(.+)"', file.read_text(encoding="utf-8"))
    return {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def get(endpoint: str, path: str = "/json/", seconds: float = 5) -> Any:
    """Return the JSON of a page of Spark."""
    request = urllib.request.Request(f"http://{endpoint}{path}", headers=auth_header())
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        return json.load(answer)


def get_monitoring(url: str, seconds: float = 10) -> Any:
    """Return the JSON of a URL of Prometheus or Alertmanager."""
    request = urllib.request.Request(url, headers=auth_header("monitoring-web"))
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        return json.load(answer)
