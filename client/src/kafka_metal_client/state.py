"""The state of a platform as collected by the playbooks for the screens, and its problems.

One JSON object; every key may be absent:

    {"cluster": name, "bootstrap": "host:port,host:port",
     "access": file with the operator's client settings, empty if the cluster is not secured,
     "certificates": [{"kind", "name", "days_left"}], the one that expires first,
     "services": [{"name": "kafka1", "kind": "broker", "state": "running" or another state of a
                   container (left out when only the health is known), "health": "ok", "healthy",
                   "starting", or any other text for unhealthy, "endpoint": "127.0.0.1:9092",
                   "note": "leader", "controller", …}],
     "cluster_info": what the module metal.kafka.cluster_info returns,
     "pipelines": [what the drivers' status endpoints return; {"name", "error"} for one that does
                   not respond],
     "problems": [message],
     "notes": [message] on what is not a fault, such as an operation in progress,
     "demo": the report of a run (run_report.py of kafka_metal_reconciliation),
     "next": [{"command", "purpose"}]}
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError
from kafka_metal_client.tables import escape_unprintable

GOOD_STATES = ("running",)
GOOD_HEALTH = ("ok", "healthy", "", "none")
GOOD_PIPELINE_STATES = ("running", "active")

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


def service_problem(service: State) -> str:
    """Return the problem of a service; empty if it has none."""
    state = container_state(service)
    health = str(service.get("health") or "")
    if state not in GOOD_STATES:
        return f"{service['name']} is {state}"
    if health not in GOOD_HEALTH:
        return f"{service['name']} is {health}"
    return ""


def pipeline_problems(pipeline: State) -> Iterator[str]:
    """Yield the problems of a pipeline and each of its outputs."""
    name = pipeline.get("name", "?")
    if error := pipeline.get("error"):
        yield f"pipeline {name} does not respond: {error}"
        return
    state = str(pipeline.get("state", "unknown"))
    if state.lower() not in GOOD_PIPELINE_STATES:
        yield f"pipeline {name} is {state}"
    for output, status in (pipeline.get("outputs") or {}).items():
        if exception := status.get("exception"):
            first = str(exception).strip().splitlines()[0]
            yield f"pipeline {name}, output {output}: {first}"


def problems(state: State) -> list[str]:
    """Return all problems, each once: services, cluster, pipelines, then those of the playbook."""
    pipelines = {
        f"pipeline-{pipeline.get('name', '?')}": list(pipeline_problems(pipeline))
        for pipeline in state.get("pipelines", ())
    }
    # A pipeline's own problems are more precise than the state of its container.
    found = [
        service_problem(service)
        for service in state.get("services", ())
        if not pipelines.get(service["name"])
    ]
    info = state.get("cluster_info")
    if info:
        found += info.get("problems", ())
        if not info.get("healthy", False) and not info.get("problems"):
            found.append("the cluster does not respond" if not info.get("reachable", True) else
                         "the cluster is not healthy")  # fmt: skip
    for messages in pipelines.values():
        found += messages
    found += state.get("problems", ())
    return list(dict.fromkeys(filter(None, found)))
