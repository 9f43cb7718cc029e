# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the rows of monitoring in the status screen."""

import re
from collections.abc import Mapping
from typing import Any

# Severity of alerts that always fire, as a test of notifications.
HEARTBEAT = "heartbeat"


def prometheus_row(
    answers: list[dict[str, Any]], endpoint: str, password: bool = False
) -> dict[str, str]:
    """The row of Prometheus, with the number of reachable targets and the firing alerts.

    ``answers`` are the responses of its HTTP API for ``targets`` and ``alerts``, from
    ansible.builtin.uri. Alerts are not problems of the status screen, which checks the services
    itself: an alert ends half a minute after its cause. ``password``: Prometheus requires one.
    """
    targets, alerts = (_data(answer) for answer in answers)
    if targets is None or alerts is None:
        status = int(answers[0].get("status", -1))
        return _row("prometheus", endpoint, f"HTTP status {status}" if status > 0 else "")
    count = len(targets["activeTargets"])
    reachable = sum(each["health"] != "down" for each in targets["activeTargets"])
    firing = sorted(
        {
            f"{each['labels'].get('severity', '')} {each['labels']['alertname']}"
            for each in alerts["alerts"]
            if each["state"] == "firing" and each["labels"].get("severity") != HEARTBEAT
        }
    )
    notes = [f"{reachable} of {count} targets respond", *(firing or ["no alert"])]
    notes += ["password in operator/monitoring-web"] if password else []
    return _row("prometheus", endpoint, ", ".join(notes))


def page_row(answer: dict[str, Any], endpoint: str) -> dict[str, str]:
    """The row of the exporter's cluster page, with the state in the page's title."""
    title = re.search(r"<title>[^<]*: ([^<:]*)</title>", str(answer.get("content") or ""))
    return _row("page", endpoint, title[1] if title and answer.get("status") == 200 else "")


def _data(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Data in a response of Prometheus' API; None for any other response."""
    body = answer.get("json")
    if answer.get("status") != 200 or not isinstance(body, dict):
        return None
    data = body.get("data")
    return data if isinstance(data, dict) else None


def _row(name: str, endpoint: str, note: str) -> dict[str, str]:
    """A row of the screen; an empty note means that the service did not respond."""
    return {
        "name": name,
        "kind": "monitoring",
        "state": "running" if note else "down",
        "health": "healthy" if note else "",
        "endpoint": f"http://{endpoint}",
        "note": note,
    }


class FilterModule:
    """Filters of the status screen."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"page_row": page_row, "prometheus_row": prometheus_row}
