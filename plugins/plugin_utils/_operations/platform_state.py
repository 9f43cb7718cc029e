# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a whole platform for screens, files and exit codes, with one list of problems."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils._containers import undeclared_containers
from ...module_utils._host import operation_lock, operation_state
from ...module_utils._host.engine_facts import HUNG, NOT_INSTALLED, START
from ...module_utils._problems import (
    arrangement,
    certificate_problems,
    connection_problems,
    operation_rules,
    problem_kinds,
)
from ...module_utils._problems.messages import shorten_list
from ...module_utils._problems.platform_problem import Problem, from_dict

# Suffix of the variables with states: each role's tasks/status.yml sets one on its hosts.
SUFFIX = "_platform_status"
# The variable with the result of the module machine_state.
MACHINE = f"roll{SUFFIX}"
HUNG_RUNBOOK = "docs/operate/alerts/ContainerEngineUnreachable.md"
MERGED = ("services", "pipelines", "notes")
# Kinds of problems with which an instance does not work; with others it is degraded.
DOWN = (
    *("ServiceDown", "PipelineDown", "ContainerMissing"),
    *("ContainerStopped", "ContainerRestarting", "ContainerKilled"),
)


def platform_state(
    hosts: Mapping[str, Mapping[str, Any]],
    places: Sequence[Mapping[str, str]],
    warn_days: int,
    readers: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return services, pipelines, certificates, notes and arranged problems.

    ``hosts`` are the variables of all hosts. ``places`` have instance, group, machine and kind of
    each instance, in start order. ``warn_days``: certificates that expire within are a problem.
    ``readers``: roles that had to set a state, by host.
    """
    state: dict[str, Any] = {key: [] for key in MERGED}
    state["cluster_info"] = {}
    expiry: list[Mapping[str, Any]] = []
    problems = unread_problems(hosts, readers or {})
    machines = {}
    for host, variables in hosts.items():
        if MACHINE in variables:
            machines[host] = variables[MACHINE]
        for name in [each for each in variables if each.endswith(SUFFIX) and each != MACHINE]:
            found = variables[name]
            for key in MERGED:
                state[key] += found.get(key) or []
            problems += [from_dict(each) for each in found.get("problems") or ()]
            expiry += found.get("expiry") or []
            state["cluster_info"] = found.get("cluster_info") or state["cluster_info"]
    state["certificates"] = sorted(expiry, key=lambda each: int(each["days_left"]))[:1]
    problems += expiring(expiry, warn_days)
    for host, found in machines.items():
        problems += machine_problems(host, found, places)
        state["services"].append(engine_row(host, found))
    failed = {host: found.get("failed_connections") or () for host, found in machines.items()}
    absent = [host for host, found in machines.items() if found.get("unreachable")]
    problems += connection_problems.problems(failed, absent)
    interrupted, notes = operation_problems(machines.values())
    state["notes"] += notes
    known = arrangement.places_of(places)
    if nothing_runs(machines):
        state |= {"services": [], "pipelines": [], "cluster_info": {}}
        # `make down` does not stop containers that the inventory does not have.
        others = [each for each in problems if each.kind == undeclared_containers.KIND]
        problems = [stopped_cluster(machines), *expiring(expiry, warn_days), *others]
    if not interrupted:
        stopped = silenced(machines.values(), known)
        problems = arrangement.quieted(problems, stopped, known, operating(machines.values()))
    findings = arrangement.arrange([*problems, *interrupted], known)
    state["problems"] = arrangement.as_list(findings)
    state["services"] = [
        with_health(row, state["problems"], known.machines.get(row["name"], ""))
        for row in state["services"]
    ]
    return {**state, "at": time.time()}


def nothing_runs(machines: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether no container of the cluster runs, by the engines of all machines."""
    read = [found.get("running") for found in machines.values() if found.get("engine_error") == ""]
    return bool(read) and len(read) == len(machines) and all(count == 0 for count in read)


def stopped_cluster(machines: Mapping[str, Mapping[str, Any]]) -> Problem:
    """Return the one problem of a cluster that is stopped; all others follow from it."""
    since = [float(each["since"]) for found in machines.values() for each in found["containers"]]
    text = f"the cluster is stopped: none of its containers runs on {shorten_list([*machines])}"
    return Problem("ContainerStopped", "", text, "make up", max(since, default=0.0))


def unread_problems(
    hosts: Mapping[str, Mapping[str, Any]], readers: Mapping[str, Sequence[str]]
) -> list[Problem]:
    """Return a problem for each role that set no state on its host: its task has failed."""
    return [
        Problem("ReadFailed", host, f"the state of {role} was not read on {host}: its task failed")
        for host, roles in readers.items()
        for role in roles
        if f"{role}{SUFFIX}" not in hosts.get(host, {})
    ]


def operating(machines: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a machine has the lock of an operation."""
    return any((each.get("operation") or {}).get("lock") for each in machines)


def silenced(machines: Iterable[Mapping[str, Any]], places: arrangement.Places) -> set[str]:
    """Return the instances and machines that the operation in progress stops now."""
    found = [each["operation"] for each in machines if each.get("operation")]
    names = {
        name
        for each in found
        if each["lock"]
        for name, until in each["silenced_until"].items()
        if until > each["now"]
    }
    return {*names, *places.machines} if operation_rules.EVERYTHING in names else names


def engine_row(machine: str, found: Mapping[str, Any]) -> dict[str, str]:
    """Return the row of a machine's container engine."""
    bad = found.get("unreachable") or found.get("engine_error") or "engine_error" not in found
    return {
        "name": f"engine@{machine}",
        "kind": "engine",
        "state": "down" if bad else "running",
        "health": "",
        "endpoint": "",
        "note": "",
    }


def machine_problems(
    machine: str, found: Mapping[str, Any], places: Iterable[Mapping[str, str]]
) -> list[Problem]:
    """Return the problems of a machine, from the result of the module machine_state."""
    if found.get("unreachable"):
        text = f"machine {machine} is unreachable: its containers were not checked"
        return [Problem("MachineUnreachable", machine, text)]
    if "engine_error" not in found:
        text = f"the state of machine {machine} was not read: {found.get('msg')}"
        return [Problem("ReadFailed", machine, text)]
    error = found["engine_error"]
    if error:
        # `make up` starts a stopped engine; preflight refuses one that hangs.
        hangs, absent = HUNG in error, error == NOT_INSTALLED
        step = HUNG_RUNBOOK if hangs else "make up"
        how = "it hangs, restart it" if hangs else START
        text = f"the container engine of {machine} does not respond ({error}): {how}"
        if absent:
            text = f"machine {machine} has no container engine: make up installs it"
        return [Problem("EngineDown", machine, text, step)]
    return [_named(each, machine, places) for each in found["containers"]]


def _named(found: Mapping[str, Any], machine: str, places: Iterable[Mapping[str, str]]) -> Problem:
    """Return the problem of a container at its instance in the catalogue.

    Containers of services with one instance on a machine are numbered instead.
    """
    problem = from_dict(found)
    given = list(places)
    if problem.kind == undeclared_containers.KIND or problem.where in {
        each["instance"] for each in given
    }:
        return problem
    # A container that is gone has no label: node-exporter3 is of the kind node_exporter.
    kind = found.get("service") or problem.where.rstrip("0123456789").replace("-", "_")
    named = [
        each["instance"] for each in given if (each["kind"], each["machine"]) == (kind, machine)
    ]
    return replace(problem, where=named[0]) if len(named) == 1 else problem


def operation_problems(
    machines: Iterable[Mapping[str, Any]],
) -> tuple[list[Problem], list[str]]:
    """Return the problem of an interrupted operation, and notes on one in progress."""
    found = [each.get("operation") for each in machines]
    me = operation_lock.lock_owner(os.getpid())
    interrupted, notes = operation_state.messages(found, me)
    return [Problem("OperationInterrupted", "", text, "make up") for text in interrupted], notes


def expiring(expiry: Iterable[Mapping[str, Any]], warn_days: int) -> list[Problem]:
    """Return a problem for each certificate in the store that has to be renewed."""
    return [
        certificate_problems.problem(
            str(each["name"]),
            f"{each['kind']} {each['name']} {_when(each)}, {each['not_after']}",
            int(each["days_left"]),
        )
        for each in sorted(expiry, key=lambda each: int(each["days_left"]))
        if int(each["days_left"]) < warn_days
    ]


def _when(expiry: Mapping[str, Any]) -> str:
    """Return when a certificate expires, or that it has."""
    days = int(expiry["days_left"])
    return f"expires in {days} days" if days >= 0 else "has expired"


def with_health(
    row: dict[str, Any], problems: Iterable[Mapping[str, Any]], machine: str = ""
) -> dict[str, Any]:
    """Return a row whose health agrees with the problems of its instance, on a ``machine``."""
    own = [
        each
        for each in problems
        if each["read"]
        and each["severity"] != problem_kinds.NOTE
        and (
            row["name"] in each["places"]
            or (each["kind"] == "ContainerStopped" and machine in each["places"])
        )
    ]
    if any(each["kind"] in DOWN for each in own):
        return {**row, "state": "down", "health": ""}
    if own and row["state"] == "running":
        return {**row, "health": "degraded"}
    return row
