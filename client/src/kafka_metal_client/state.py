"""The state of a platform as collected by the playbooks for the screens.

One JSON object; every key may be absent:

    {"cluster": name, "bootstrap": "host:port,host:port",
     "access": file with the operator's client settings, empty if the cluster is not secured,
     "certificates": [{"kind", "name", "days_left"}], the one that expires first,
     "services": [{"name": "kafka1", "kind": "broker", "state": "running" or another state of a
                   container (left out when only the health is known), "health": "ok", "healthy",
                   "starting", or any other text for unhealthy, "endpoint": "127.0.0.1:9092",
                   "note": "leader", "controller", …}],
     "cluster_info": what the module metal.kafka.cluster_info returns,
     "pipelines": [what the drivers' status endpoints return; without a response "name", and the
                   "state" unreachable],
     "problems": [{"kind", "where", "severity", "text", "command", "since", "alerts", "read",
                   "urgent", "affects", "because", "places", "same"}], causes first; "because" has
                 kind and where of the cause of a problem, "affects" places of problems that it can
                 explain, "places" all places of equal problems, "same" the problem of each of them,
     "notes": [message] on what is not a fault, such as an operation in progress,
     "at": when the state was read, in seconds since 1970,
     "demo": the report of a run (run_report.py of kafka_metal_reconciliation),
     "next": [{"command", "purpose"}]}
"""

import json
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError
from kafka_metal_client.terminal import escape_unprintable

GOOD_STATES = ("running",)
GOOD_HEALTH = ("ok", "healthy", "", "none")
NOTE = "note"

State = dict[str, Any]


def load(path: Path) -> Any:
    """Return the object in a JSON file, with control characters in its texts escaped.

    ClientError if the file cannot be read or its top level is not an object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClientError(f"cannot read {path}: {error}") from error
    if not isinstance(data, dict):
        raise ClientError(f"{path}: the top level has to be an object")
    return visible_texts(data)


def visible_texts(value: Any) -> Any:
    """Return a JSON value with control characters escaped in all texts and names."""
    if isinstance(value, str):
        return escape_unprintable(value)
    if isinstance(value, list):
        return [visible_texts(each) for each in value]
    if isinstance(value, dict):
        return {escape_unprintable(key): visible_texts(each) for key, each in value.items()}
    return value


def container_state(service: State) -> str:
    """Return the state of a service's container; running if the state has none."""
    return str(service.get("state", "running") or "absent")


def is_well(service: State) -> bool:
    """Whether the row of a service shows no problem."""
    health = str(service.get("health") or "")
    return container_state(service) in GOOD_STATES and health in GOOD_HEALTH


def problems(state: State) -> list[str]:
    """Return the texts of urgent problems: without notes, and tickets of alerts."""
    return [each["text"] for each in state.get("problems") or () if each["urgent"]]
