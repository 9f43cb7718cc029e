# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of a cluster's containers as their engine reports them.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from .._common import container_labels
from .._common.units import size_text
from .._host import engine_api
from .._problems import problem_kinds
from .._problems.messages import utc_time
from .._problems.platform_problem import Problem
from . import container_log
from .container_state import epoch_seconds

# Seconds; a container that was killed or restarted longer ago has recovered.
OOM_S = 3600
RESTART_S = 600
# A container that has run for so many seconds stays up again.
STEADY_S = 120


@dataclass(frozen=True)
class Fault:
    """The problem of a container, and the kind of service that it runs."""

    problem: Problem
    service: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return both in plain types."""
        return {**self.problem.as_dict(), "service": self.service}


def faults(
    inspected: Iterable[Mapping[str, Any]], socket: str, cluster: str, machine: str, now: float
) -> list[Fault]:
    """Return the problems of a cluster's ``inspected`` containers on a machine."""
    killed = _oom_killed_ids(socket, cluster, now)
    found, running = [], 0
    for each in inspected:
        running += bool((each.get("State") or {}).get("Running"))
        problem = container_fault(each, now, each.get("Id") in killed)
        if problem is not None:
            if problem.kind == "ContainerRestarting":
                problem = _with_reason(problem, container_log.last_error(socket, str(each["Id"])))
            service = container_labels.label_from_inspection(each, container_labels.SERVICE)
            found.append(Fault(problem, service))
    stopped = [each.problem for each in found if each.problem.kind == "ContainerStopped"]
    if len(stopped) > 1 and len(stopped) == len(found) and not running:
        return [Fault(_all_stopped(stopped, machine))]
    return found


def _with_reason(problem: Problem, line: str) -> Problem:
    """Return a problem with a line of the container's log in its text."""
    return replace(problem, text=f"{problem.text}: {line}") if line else problem


def _all_stopped(problems: list[Problem], machine: str) -> Problem:
    """Return one problem for a machine whose containers are all stopped."""
    since = max(each.since for each in problems)
    text = f"all {len(problems)} containers on {machine} are stopped"
    return Problem("ContainerStopped", machine, text, "make up", since)


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


def container_fault(found: Mapping[str, Any], now: float, killed: bool = False) -> Problem | None:
    """Return the problem of an inspected container; None if it runs steadily.

    ``killed``: the engine has an out-of-memory event of it.
    """
    state = found.get("State") or {}
    restarts = int(found.get("RestartCount") or 0)
    ended = epoch_seconds(str(state.get("FinishedAt") or ""))
    name, code = _name(found), int(state.get("ExitCode") or 0)
    again = f", restarted {_times(restarts)} by the engine" if restarts else ""
    last = f", last at {utc_time(ended)}" if ended else ""
    logs = f"make logs S={name}"
    up = now - epoch_seconds(str(state.get("StartedAt") or "")) if state.get("Running") else 0.0
    if (killed or state.get("OOMKilled")) and now - ended < OOM_S:
        limit = int((found.get("HostConfig") or {}).get("Memory") or 0)
        of = f"its limit of {size_text(limit)} of memory" if limit else "the memory of its machine"
        text = f"{name} was killed: it needed more than {of}{again}{last}"
        # It has run for a while since.
        severity = problem_kinds.NOTE if up >= STEADY_S else ""
        return Problem("ContainerKilled", name, text, logs, severity=severity)
    if state.get("Restarting") or (restarts > 1 and now - ended < RESTART_S and up < STEADY_S):
        # The engine no longer has the exit code of a container that runs again.
        how = f", exit code {code}" if code else ""
        healthy = (state.get("Health") or {}).get("Status") == "healthy"
        # A service may become healthy and fail again: it has to stay up for a while.
        if healthy and up >= STEADY_S / 2:
            text = f"{name} has been up for {int(up)} s{again}{last}{how}"
            return Problem("ContainerRestarting", name, text, logs, severity=problem_kinds.NOTE)
        text = f"{name} does not stay up{again}{last}{how}"
        return Problem("ContainerRestarting", name, text, logs)
    if state.get("Paused"):
        text = f"{name} is paused: it responds to no request"
        return Problem("ContainerStopped", name, text, f"docker unpause {_container(found)}")
    if state.get("Running", True):
        return None
    if state.get("Error"):
        return Problem("ContainerStopped", name, f"{name} does not start: {state['Error']}", logs)
    how = f", exit code {code}" if code else ""
    return Problem("ContainerStopped", name, f"{name} is stopped{how}", "make up", ended)


def _times(count: int) -> str:
    """Return ``count`` as text: once, 2 times."""
    return "once" if count == 1 else f"{count} times"


def _container(found: Mapping[str, Any]) -> str:
    """Return the name of a container."""
    return str(found.get("Name")).lstrip("/")


def _name(found: Mapping[str, Any]) -> str:
    """Return the name of a container's instance."""
    name = container_labels.label_from_inspection(found, container_labels.INSTANCE)
    return name or _container(found)
