"""Web pages and APIs of Spark, Prometheus and Alertmanager, with the operator's password."""

import base64
import json
import re
import urllib.request
from typing import Any

from testing import access, playbooks


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


def send_monitoring(url: str, body: Any = None, method: str = "POST") -> Any:
    """Send JSON to a URL of Alertmanager; return the JSON of its response, None if it is empty."""
    headers = {"Content-Type": "application/json", **auth_header("monitoring-web")}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def endpoint(cluster: str, service: str) -> str:
    """Return host:port of a service on the last status screen."""
    state = json.loads((playbooks.state(cluster) / "state.json").read_text())
    (found,) = [
        each["endpoint"] for each in state["services"] if each["name"].partition("@")[0] == service
    ]
    return found.removeprefix("http://")
