# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State of a standalone Spark cluster, read from the web pages of its masters (/json/)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http.client import HTTPException
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .._problems import spark_problems
from .._problems.platform_problem import Problem
from .._problems.spark_problems import LEADER, STANDBY, alive_workers, find_leader, master_fault
from . import web_pages

__all__ = ["LEADER", "STANDBY", "find_leader"]

# A server, the timeout and the login; the state of the server.
Query = Callable[[Mapping[str, Any], float, str], dict[str, Any]]
# Of requests, and of text that is no JSON or nested too deeply.
FAULTS = (OSError, HTTPException, ValueError, RecursionError)


def query_master(master: Mapping[str, Any], timeout: float, login: str = "") -> dict[str, Any]:
    """Read the state of one master, which has ``name``, ``host`` and ``ui_port``.

    ``login`` is the result of ``web_login.basic_credentials``, or empty where pages need no
    authentication.

    Return ``name``, ``page``, ``status`` (empty without a response), ``error`` and ``workers``,
    the pages of the workers that the master counts as alive.
    """
    state = {"name": master["name"], "page": page(master), "status": "", "workers": []}
    try:
        found = get_json(master, "/json/", timeout, login)
        if fault := master_fault(found):
            return state | {"error": f"the response is not that of a master: {fault}"}
        return state | {"status": found["status"], "workers": alive_workers(found), "error": ""}
    except FAULTS as error:
        return state | {"error": str(error) or type(error).__name__}


def query_history(server: Mapping[str, Any], timeout: float, login: str = "") -> dict[str, Any]:
    """Check that a history server responds; return ``name``, ``page`` and ``error``."""
    state = {"name": server["name"], "page": page(server), "error": ""}
    try:
        get_json(server, "/api/v1/version", timeout, login)
        return state
    except FAULTS as error:
        return state | {"error": str(error) or type(error).__name__}


def page(server: Mapping[str, Any]) -> str:
    """Return host:port of a component's web page."""
    return f"{server['host']}:{server['ui_port']}"


def get_json(server: Mapping[str, Any], path: str, timeout: float, login: str) -> Any:
    """Return the JSON response to GET ``path``; raises one of FAULTS."""
    return json.loads(web_pages.get(f"http://{page(server)}{path}", timeout, login))


def query_masters(
    masters: Sequence[Mapping[str, Any]], timeout: float, login: str = ""
) -> list[dict[str, Any]]:
    """Return the state of each master in the same order; requests run in parallel."""
    return _query_all(masters, query_master, timeout, login)


def query_histories(
    servers: Sequence[Mapping[str, Any]], timeout: float, login: str = ""
) -> list[dict[str, Any]]:
    """Return the state of each history server in the same order; requests run in parallel."""
    return _query_all(servers, query_history, timeout, login)


def _query_all(
    servers: Sequence[Mapping[str, Any]], query: Query, timeout: float, login: str
) -> list[dict[str, Any]]:
    """Return the result of each query; one that has not ended in time has an error."""
    calls = {place: partial(query, each, timeout, login) for place, each in enumerate(servers)}
    # The timeout is that of each packet, and a response may come byte by byte.
    found = run_in_parallel(calls, Deadline(timeout + 1))
    return [
        {"name": each["name"], "page": page(each), "status": "", "workers": [], "error": str(state)}
        if isinstance(state := found[place], Exception)
        else state
        for place, each in enumerate(servers)
    ]


def problems(
    masters: Sequence[Mapping[str, Any]],
    workers: Sequence[Mapping[str, Any]],
    histories: Sequence[Mapping[str, Any]] = (),
) -> list[Problem]:
    """Return the problems of the cluster.

    ``masters`` and ``histories`` are results of ``query_masters`` and ``query_histories``,
    ``workers`` are declared ones with name, host and ui_port.
    """
    pages = {str(each["name"]): page(each) for each in workers}
    return spark_problems.problems([*masters], pages, [*histories])
