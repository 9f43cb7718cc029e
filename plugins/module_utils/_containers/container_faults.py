# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a cluster's containers as their engine reports them, one message for each.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
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
from .container_state import epoch

# What was killed or started again longer ago than this has run well since.
OOM_S = 3600
RESTART_S = 600


def look(socket: str, cluster: str, now: float) -> list[str]:
    """A sentence on each container of the cluster that was killed or does not stay up."""
    return list(_faults(socket, cluster, now))


def _faults(socket: str, cluster: str, now: float) -> Iterator[str]:
    killed = _killed(socket, cluster, now)
    for each in container_list.members(socket, cluster):
        found = engine_api.ask(socket, f"/containers/{each['Id']}/json")
        # Gone meanwhile.
        if isinstance(found, dict) and (text := fault(found, now, each["Id"] in killed)):
            yield text


def _killed(socket: str, cluster: str, now: float) -> set[str]:
    """Ids of containers that lacked memory, as far as the engine remembers (some 256 events).

    The state of a container tells it as well, but not always: the kernel's word may come too late.
    """
    wanted = {"event": ["oom"], "label": [f"{container_labels.CLUSTER}={cluster}"]}
    since, until = int(now - OOM_S), int(now)
    question = f"/events?since={since}&until={until}&filters={quote(json.dumps(wanted))}"
    try:
        lines = (engine_api.get(socket, question) or b"").splitlines()
        return {str(json.loads(line)["id"]) for line in lines if line.strip()}
    except (engine_api.EngineError, KeyError, ValueError):
        return set()


def fault(found: Mapping[str, Any], now: float, killed: bool = False) -> str:
    """What is wrong with a container; empty when it runs, or was stopped in an orderly way.

    ``killed``: its engine remembers that it lacked memory.
    """
    state = found.get("State") or {}
    restarts = int(found.get("RestartCount") or 0)
    ended = epoch(str(state.get("FinishedAt") or ""))
    again = f", restarted {_times(restarts)} by the engine" if restarts else ""
    last = f", last at {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(ended))}" if ended else ""
    if (killed or state.get("OOMKilled")) and now - ended < OOM_S:
        limit = int((found.get("HostConfig") or {}).get("Memory") or 0)
        of = f"its limit of {size_text(limit)} of memory" if limit else "the memory of its machine"
        return f"{_name(found)} was killed: it needed more than {of}{again}{last}"
    if state.get("Restarting") or (restarts > 1 and now - ended < RESTART_S):
        code = int(state.get("ExitCode") or 0)
        # Of one that runs the engine has forgotten how it ended.
        how = f", exit code {code}" if code else ""
        return f"{_name(found)} does not stay up{again}{last}{how}: make logs S={_name(found)}"
    if state.get("Error") and not state.get("Running"):
        return f"{_name(found)} does not start: {state['Error']}"
    return ""


def _times(count: int) -> str:
    """A number of times."""
    return "once" if count == 1 else f"{count} times"


def _name(found: Mapping[str, Any]) -> str:
    """The instance that a container is."""
    name = container_labels.inspected(found, container_labels.INSTANCE)
    return name or str(found.get("Name")).lstrip("/")
