# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A standalone Spark cluster, as its masters tell of it on their pages under /json/."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

# What a master says of itself.
LEADS = "ALIVE"
STANDS_BY = "STANDBY"

# Pages lie inside the platform: never asked through a proxy of the machine.
FAULTS = (OSError, HTTPException, ValueError, KeyError, TypeError)
_direct = build_opener(ProxyHandler({}))


def ask(master: Mapping[str, Any], timeout: float, word: str = "") -> dict[str, Any]:
    """What one master, with ``name``, ``host`` and ``ui_port``, says of itself.

    ``word`` is what ``web_login.basic`` gives, or empty where pages ask nobody.

    Returns ``name``, ``page``, ``status`` (empty without an answer), ``error`` and ``workers``,
    the pages of the workers it counts as alive.
    """
    told = {"name": master["name"], "page": page(master), "status": "", "workers": []}
    try:
        state = answer(master, "/json/", timeout, word)
        return told | {"status": str(state["status"]), "workers": alive(state), "error": ""}
    except FAULTS as error:
        return told | {"error": str(error) or type(error).__name__}


def ask_history(server: Mapping[str, Any], timeout: float, word: str = "") -> dict[str, Any]:
    """Whether a server of the history answers: ``name``, ``page`` and ``error``."""
    told = {"name": server["name"], "page": page(server), "error": ""}
    try:
        answer(server, "/api/v1/version", timeout, word)
        return told
    except FAULTS as error:
        return told | {"error": str(error) or type(error).__name__}


def page(server: Mapping[str, Any]) -> str:
    """Where the page of a part of Spark is, as host:port."""
    return f"{server['host']}:{server['ui_port']}"


def answer(server: Mapping[str, Any], path: str, timeout: float, word: str) -> Any:
    """What a page answers in JSON; raises one of FAULTS."""
    headers = {"Authorization": f"Basic {word}"} if word else {}
    asked = Request(f"http://{page(server)}{path}", headers=headers)
    with _direct.open(asked, timeout=timeout) as told:
        return json.load(told)


def alive(state: Mapping[str, Any]) -> list[str]:
    """Pages of the workers that a master counts as alive.

    A worker's id is ``worker-<time>-<host>-<port>``; its page carries the port that tells workers
    of one host apart, so workers are known by the address of their page.
    """
    return sorted(
        worker["webuiaddress"].removeprefix("http://")
        for worker in state.get("workers", [])
        if worker["state"] == "ALIVE"
    )


def ask_all(
    masters: Sequence[Mapping[str, Any]], timeout: float, word: str = ""
) -> list[dict[str, Any]]:
    """What each master says, in the order given; all are asked at the same time."""
    with ThreadPoolExecutor(max_workers=max(1, len(masters))) as pool:
        return list(pool.map(lambda master: ask(master, timeout, word), masters))


def ask_histories(
    servers: Sequence[Mapping[str, Any]], timeout: float, word: str = ""
) -> list[dict[str, Any]]:
    """Whether each server of the history answers."""
    return [ask_history(server, timeout, word) for server in servers]


def leader(told: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The master that leads, unless there is none or more than one."""
    leading = [dict(master) for master in told if master["status"] == LEADS]
    return leading[0] if len(leading) == 1 else None


def problems(
    told: Sequence[Mapping[str, Any]],
    workers: Sequence[Mapping[str, Any]],
    histories: Sequence[Mapping[str, Any]] = (),
) -> list[str]:
    """What is wrong with the cluster, a sentence each.

    ``workers`` have name, host and ui_port, ``histories`` what ``ask_histories`` gives.
    """
    found = [
        f"{master['name']} does not answer at {master['page']}: {master['error']}"
        for master in (*told, *histories)
        if master["error"]
    ]
    found += [
        f"{master['name']} is {master['status']}, neither {LEADS} nor {STANDS_BY}"
        for master in told
        if not master["error"] and master["status"] not in (LEADS, STANDS_BY)
    ]
    leading = leader(told)
    if leading is None:
        return [*found, "the Spark cluster has no master that leads"]
    return found + [
        f"{worker['name']} is not registered with {leading['name']}"
        for worker in workers
        if page(worker) not in leading["workers"]
    ]
