# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of a standalone Spark cluster, from the states of its masters; no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .json_faults import OBJECT, Fault, first_fault, numbers, objects, texts
from .platform_problem import Problem

# States of a master.
LEADER = "ALIVE"
STANDBY = "STANDBY"
# The place of problems of all masters.
GROUP = "spark_master"


def find_leader(masters: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the leading master; None when there is none or more than one."""
    leading = [dict(master) for master in masters if master["status"] == LEADER]
    return leading[0] if len(leading) == 1 else None


def master_fault(body: object) -> str:
    """Return what is wrong with the JSON of a master; empty if it is valid."""
    return first_fault(_faults(body))


def _faults(body: object) -> Iterator[Fault]:
    """Yield all faults of a master's JSON."""
    if not isinstance(body, Mapping):
        yield "the response", body, OBJECT
        return
    yield from texts(body, "", "status")
    yield from numbers(body, "", "aliveworkers", "cores", "coresused", "memory", "memoryused")
    yield from objects(body, "", "workers", "activeapps")


def alive_workers(state: Mapping[str, Any]) -> list[str]:
    """Return the pages of the workers that a master counts as alive, from its JSON.

    Workers are identified by the address of their page: its port tells workers of one host apart.
    """
    return sorted(
        str(worker.get("webuiaddress", "")).removeprefix("http://")
        for worker in state.get("workers") or []
        if worker.get("state") == "ALIVE"
    )


def problems(
    masters: Sequence[Mapping[str, Any]],
    workers: Mapping[str, str],
    histories: Sequence[Mapping[str, Any]] = (),
) -> list[Problem]:
    """Return the problems of the cluster.

    ``masters`` and ``histories`` have ``name``, ``page`` and ``error``, masters also ``status`` and
    ``workers``, the pages of alive workers. ``workers`` are the pages of declared ones by name.
    """
    found = [
        _down(each["name"], f"{each['name']} does not respond at {each['page']}: {each['error']}")
        for each in (*masters, *histories)
        if each["error"]
    ]
    found += [
        _down(
            master["name"],
            f"{master['name']} is {master['status']}, neither {LEADER} nor {STANDBY}",
        )
        for master in masters
        if not master["error"] and master["status"] not in (LEADER, STANDBY)
    ]
    leading = find_leader(masters)
    if leading is None:
        text, page = "the Spark cluster has no leading master", "SparkWithoutLeader"
        return [*found, Problem("NoLeader", GROUP, text, f"docs/operate/alerts/{page}.md")]
    return found + [
        _down(name, f"{name} is not registered with {leading['name']}")
        for name, page in workers.items()
        if page not in leading["workers"]
    ]


def _down(name: str, text: str) -> Problem:
    return Problem("ServiceDown", name, text)
