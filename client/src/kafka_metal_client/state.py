"""The state of a platform, as the playbooks write it for the screens, and what is wrong with it.

One JSON object; every key may be absent:

    {"cluster": name, "bootstrap": "host:port,host:port",
     "services": [{"name": "kafka1", "kind": "broker", "state": "running" or another container
                   state, "health": "healthy", "unhealthy", "starting" or "", "endpoint":
                   "127.0.0.1:9092", "note": "leader", "controller", …}],
     "cluster_info": what the module metal.kafka.cluster_info returns,
     "pipelines": [what the drivers' status endpoints return; {"name", "error"} for one that does
                   not answer],
     "problems": [sentence],
     "demo": the report of a run (judge.py), "steps": [{"name", "seconds"}],
     "next": [{"command", "purpose"}]}
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError

GOOD_STATES = ("running",)
GOOD_HEALTH = ("healthy", "", "none")
GOOD_PIPELINE_STATES = ("running", "active")

State = dict[str, Any]


def load(path: Path, kind: type = dict) -> Any:
    """A JSON file whose top is of ``kind``; ClientError otherwise."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClientError(f"cannot read {path}: {error}") from error
    if not isinstance(data, kind):
        expected = "an object" if kind is dict else "a list"
        raise ClientError(f"{path}: the top of the file has to be {expected}")
    return data


def service_problem(service: State) -> str:
    """What is wrong with a service, or nothing."""
    state = str(service.get("state") or "absent")
    health = str(service.get("health") or "")
    if state not in GOOD_STATES:
        return f"{service['name']} is {state}"
    if health not in GOOD_HEALTH:
        return f"{service['name']} is {health}"
    return ""


def pipeline_problems(pipeline: State) -> Iterator[str]:
    """What is wrong with a pipeline and each of its outputs."""
    name = pipeline.get("name", "?")
    if error := pipeline.get("error"):
        yield f"pipeline {name} does not answer: {error}"
        return
    state = str(pipeline.get("state", "unknown"))
    if state.lower() not in GOOD_PIPELINE_STATES:
        yield f"pipeline {name} is {state}"
    for output, status in (pipeline.get("outputs") or {}).items():
        if exception := status.get("exception"):
            first = str(exception).strip().splitlines()[0]
            yield f"pipeline {name}, output {output}: {first}"


def problems(state: State) -> list[str]:
    """All that is wrong, each once: services, cluster, pipelines, then what the playbook found."""
    found = [service_problem(service) for service in state.get("services", ())]
    info = state.get("cluster_info")
    if info is not None:
        found += info.get("problems", ())
        if not info.get("healthy", False) and not info.get("problems"):
            found.append("the cluster does not answer" if not info.get("reachable", True) else
                         "the cluster is not healthy")  # fmt: skip
    for pipeline in state.get("pipelines", ()):
        found += pipeline_problems(pipeline)
    found += state.get("problems", ())
    return list(dict.fromkeys(filter(None, found)))
