# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a cluster's containers as their engine reports them, one message per container.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from .._common import container_labels
from .._common.units import size_text
from .._host import container_list, engine_api
from .container_state import epoch_seconds

# Seconds; a container that was killed or restarted longer ago has recovered.
OOM_S = 3600
RESTART_S = 600


def faults(socket: str, cluster: str, now: float) -> list[str]:
    """Return a message for each container of the cluster that was killed or does not stay up."""
    return list(_faults(socket, cluster, now))


def _faults(socket: str, cluster: str, now: float) -> Iterator[str]:
    killed = _oom_killed_ids(socket, cluster, now)
    for each in container_list.list_cluster_containers(socket, cluster):
        found = engine_api.get_json(socket, f"/containers/{each['Id']}/json")
        # No longer there: removed since it was listed.
        if isinstance(found, dict) and (text := container_fault(found, now, each["Id"] in killed)):
            yield text


def _oom_killed_ids(socket: str, cluster: str, now: float) -> set[str]:
    """Ids of containers with an out-of-memory event; the engine keeps about 256 events.

    The state of a container also has OOMKilled, but it is not always set in time.
    """
    wanted = {"event": ["oom"], "label": [f"{container_labels.CLUSTER}={cluster}"]}
    since, until = int(now - OOM_S), int(now)
    request = f"/events?since={since}&until={until}&filters={quote(json.dumps(wanted))}"
    try:
        lines = (engine_api.get(socket, request) or b"").splitlines()
        return {str(json.loads(line)["id"]) for line in lines if line.strip()}
    except (engine_api.EngineError, KeyError, ValueError):
        return set()


def container_fault(found: Mapping[str, Any], now: float, killed: bool = False) -> str:
    """Return the fault of a container; empty when it runs or was stopped in an orderly way.

    ``killed``: the engine has an out-of-memory event of it.
    """
    state = found.get("State") or {}
    restarts = int(found.get("RestartCount") or 0)
    ended = epoch_seconds(str(state.get("FinishedAt") or ""))
    again = f", restarted {_times(restarts)} by the engine" if restarts else ""
    last = f", last at {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(ended))}" if ended else ""
    if (killed or state.get("OOMKilled")) and now - ended < OOM_S:
        limit = int((found.get("HostConfig") or {}).get("Memory") or 0)
        of = f"its limit of {size_text(limit)} of memory" if limit else "the memory of its machine"
        return f"{_name(found)} was killed: it needed more than {of}{again}{last}"
    if state.get("Restarting") or (restarts > 1 and now - ended < RESTART_S):
        code = int(state.get("ExitCode") or 0)
        # The engine no longer has the exit code of a container that runs again.
        how = f", exit code {code}" if code else ""
        return f"{_name(found)} does not stay up{again}{last}{how}: make logs S={_name(found)}"
    if state.get("Error") and not state.get("Running"):
        return f"{_name(found)} does not start: {state['Error']}"
    return ""


def _times(count: int) -> str:
    """Return ``count`` as text: once, 2 times."""
    return "once" if count == 1 else f"{count} times"


def _name(found: Mapping[str, Any]) -> str:
    """Return the name of a container's instance."""
    name = container_labels.label_from_inspection(found, container_labels.INSTANCE)
    return name or str(found.get("Name")).lstrip("/")
