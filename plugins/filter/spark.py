# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a Spark cluster's state, as its master tells it under /json/."""

from typing import Any


def alive(state: dict[str, Any]) -> set[str]:
    """Names of the workers the master counts as alive.

    A worker's id is ``worker-<time>-<host>-<port>``; its page carries the port that tells workers
    of one host apart, so workers are known by the address of their page.
    """
    return {
        w["webuiaddress"].removeprefix("http://")
        for w in state.get("workers", [])
        if w["state"] == "ALIVE"
    }


def status_rows(
    state: dict[str, Any], masters: list[str], pages: list[str], workers: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """Rows of the status screen. ``workers`` have name, host and ui_port."""
    leads = state.get("status") == "ALIVE"
    rows = [
        {
            "name": "spark-master1",
            "kind": "spark",
            "state": "running" if leads else "down",
            "health": "healthy" if leads else "",
            "endpoint": f"spark://{masters[0]}",
            "note": f"page {pages[0]}",
        }
    ]
    for worker in workers:
        page = f"{worker['host']}:{worker['ui_port']}"
        registered = page in alive(state)
        rows.append(
            {
                "name": worker["name"],
                "kind": "spark",
                "state": "running" if registered else "down",
                "health": "healthy" if registered else "",
                "endpoint": page,
                "note": "",
            }
        )
    return rows


def problems(state: dict[str, Any], workers: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the cluster, a sentence each."""
    if state.get("status") != "ALIVE":
        return ["the Spark master does not answer"]
    pages = alive(state)
    return [
        f"{w['name']} is not registered with the Spark master"
        for w in workers
        if f"{w['host']}:{w['ui_port']}" not in pages
    ]


class FilterModule:
    """Filters of the spark role."""

    def filters(self) -> dict[str, Any]:
        """Names as templates use them."""
        return {"spark_status_rows": status_rows, "spark_problems": problems}
