# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers of a machine, from the engine's list or, if it does not respond, from processes.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import json
from typing import Any

from .._common import container_labels
from . import container_processes, engine_api


def list_cluster_containers(path: str, cluster: str) -> list[dict[str, Any]]:
    """Return the containers of a cluster; without an engine only running ones.

    ``path`` is the engine's socket.
    """
    found = engine_api.get_json(
        path, engine_api.list_request(f"{container_labels.CLUSTER}={cluster}")
    )
    if isinstance(found, list):
        return found
    return [
        each
        for each in container_processes.find_containers()
        if container_labels.label_from_list(each, container_labels.CLUSTER) == cluster
    ]


def list_from_engine(path: str, cluster: str) -> list[dict[str, Any]]:
    """Return the containers of a cluster, running or not; raises EngineError."""
    request = engine_api.list_request(f"{container_labels.CLUSTER}={cluster}")
    found: list[dict[str, Any]] = json.loads(engine_api.get(path, request) or b"[]")
    return found


def inspect_cluster_containers(path: str, cluster: str) -> list[dict[str, Any]]:
    """Return the inspections of a cluster's containers, running or not.

    Raises EngineError if the engine does not answer one of the requests: a container that it cannot
    inspect in time is not one that is gone.
    """
    listed = list_from_engine(path, cluster)
    found = [engine_api.get(path, f"/containers/{each['Id']}/json") for each in listed]
    # Without a response: removed since it was listed.
    return [json.loads(each) for each in found if each is not None]


def list_running_containers(path: str) -> list[dict[str, Any]]:
    """Return running containers from the engine, or from /proc if it does not respond."""
    found = engine_api.get_json(path, "/containers/json")
    return found if isinstance(found, list) else container_processes.find_containers()


def list_instances(path: str, cluster: str) -> dict[str, list[str]]:
    """Return names of the cluster's instances with a container, by kind of service."""
    found: dict[str, list[str]] = {}
    for each in list_cluster_containers(path, cluster):
        kind = container_labels.label_from_list(each, container_labels.SERVICE)
        name = container_labels.label_from_list(each, container_labels.INSTANCE)
        found.setdefault(kind, []).append(name)
    return found
