# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers of a machine: as its engine lists them, or by their processes where it is silent.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from typing import Any

from .._common import container_labels
from . import container_processes, engine_api


def members(path: str, cluster: str) -> list[dict[str, Any]]:
    """The containers of a cluster, running or not; without an engine those that run.

    ``path`` is the engine's socket.
    """
    found = engine_api.ask(path, engine_api.listing(f"{container_labels.CLUSTER}={cluster}"))
    if isinstance(found, list):
        return found
    return [
        each
        for each in container_processes.found()
        if container_labels.listed(each, container_labels.CLUSTER) == cluster
    ]


def running(path: str) -> list[dict[str, Any]]:
    """All containers that run."""
    found = engine_api.ask(path, "/containers/json")
    return found if isinstance(found, list) else container_processes.found()
