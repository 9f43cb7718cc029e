# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What those who watch say of the platform, for the status screen."""

import re
from collections.abc import Mapping
from typing import Any

# Alerts that always fire: somebody outside waits for them.
HEARTBEAT = "heartbeat"


def prometheus_row(
    answers: list[dict[str, Any]], endpoint: str, password: bool = False
) -> dict[str, str]:
    """The row of Prometheus: who gives figures, and which alerts fire.

    ``answers`` are those of its HTTP API to ``targets`` and to ``alerts``, as ansible.builtin.uri
    returns them. Alerts are no problems of the status screen: it asks the services themselves, and
    an alert ends half a minute after its cause. ``password``: it requires the operator's.
    """
    targets, alerts = (_data(answer) for answer in answers)
    if targets is None or alerts is None:
        status = int(answers[0].get("status", -1))
        return _row("prometheus", endpoint, f"answers {status}" if status > 0 else "")
    count = len(targets["activeTargets"])
    answering = sum(each["health"] != "down" for each in targets["activeTargets"])
    firing = sorted(
        {
            f"{each['labels'].get('severity', '')} {each['labels']['alertname']}"
            for each in alerts["alerts"]
            if each["state"] == "firing" and each["labels"].get("severity") != HEARTBEAT
        }
    )
    said = [f"{answering} of {count} targets answer", *(firing or ["no alert"])]
    said += ["password in operator/monitoring-web"] if password else []
    return _row("prometheus", endpoint, ", ".join(said))


def page_row(answer: dict[str, Any], endpoint: str) -> dict[str, str]:
    """The row of the cluster's page, which the exporter shows: what its title says."""
    title = re.search(r"<title>[^<]*: ([^<:]*)</title>", str(answer.get("content") or ""))
    return _row("page", endpoint, title[1] if title and answer.get("status") == 200 else "")


def _data(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """The data of an answer that is one of Prometheus' own."""
    said = answer.get("json")
    if answer.get("status") != 200 or not isinstance(said, dict):
        return None
    data = said.get("data")
    return data if isinstance(data, dict) else None


def _row(name: str, endpoint: str, note: str) -> dict[str, str]:
    """A row of the screen; without a note nobody has answered."""
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
        """Names as templates use them."""
        return {"page_row": page_row, "prometheus_row": prometheus_row}
