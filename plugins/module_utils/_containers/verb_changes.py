# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Update of a machine's baseline by a verb that changes containers and their configuration.

What the verb changes is no manual change. What already differed from the baseline before the verb
still differs afterwards, unless the verb has changed it.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from typing import Any

from .._host import container_list, engine_api
from . import configuration_changes, host_baseline


def begin(socket: str, cluster: str, path: str) -> None:
    """Save the state before the verb; nothing without an engine or a baseline in ``path``."""
    host_baseline.delete(_before(path))
    now = _configuration(socket, cluster, path) if host_baseline.read(path) else {}
    if now:
        host_baseline.write(_before(path), {"declared": {}, **now})


def end(socket: str, cluster: str, path: str) -> None:
    """Replace in the baseline what has changed since ``begin``."""
    before, baseline = host_baseline.read(_before(path)), host_baseline.read(path)
    now = _configuration(socket, cluster, path) if before and baseline else {}
    if now:
        for key, entries in now.items():
            for name in {*before[key], *entries}:
                found = entries.get(name)
                if found == before[key].get(name) or found == host_baseline.RESTARTS:
                    continue
                if found is None:
                    baseline[key].pop(name, None)
                else:
                    baseline[key][name] = found
        host_baseline.write(path, baseline)
    host_baseline.delete(_before(path))


def _configuration(socket: str, cluster: str, path: str) -> dict[str, Any]:
    """Return containers and their configuration; empty if the engine does not respond."""
    try:
        inspected = container_list.inspect_cluster_containers(socket, cluster)
    except engine_api.EngineError:
        return {}
    return configuration_changes.configuration(inspected, path)


def _before(path: str) -> str:
    """Return the file with the state before the verb."""
    return f"{path}.before"
