# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for Spark in the status screen."""

from __future__ import annotations

from typing import Any

from ..module_utils._problems import spark_problems
from ..module_utils._problems.platform_problem import Problem
from ..module_utils._services import spark_masters
from ..plugin_utils._operations.status_row import status_row

KIND = "spark"

_ROLES = {spark_masters.LEADER: "leader", spark_masters.STANDBY: "standby"}


def status(
    info: dict[str, Any], masters: list[dict[str, Any]], workers: list[dict[str, Any]]
) -> dict[str, Any]:
    """Rows and problems for the status screen, from the result of the module ``spark_info``.

    ``masters`` have name, host and port, ``workers`` name, host and ui_port. If the module failed,
    only the reason is a problem.
    """
    if "masters" not in info:
        reason = f"the state of Spark was not read: {info.get('msg') or 'unknown error'}"
        return {"problems": [Problem("ReadFailed", spark_problems.GROUP, reason).as_dict()]}
    problems = spark_masters.problems(info["masters"], workers, info["histories"])
    return {
        "services": _rows(info, masters, workers),
        "problems": [each.as_dict() for each in problems],
    }


def _rows(
    info: dict[str, Any], masters: list[dict[str, Any]], workers: list[dict[str, Any]]
) -> list[dict[str, str]]:
    found = info.get("masters", [])
    leading = spark_masters.find_leader(found) or {}
    by_name = {master["name"]: master for master in found}
    rows = [_master(master, by_name.get(master["name"], {})) for master in masters]
    for worker in workers:
        page = f"{worker['host']}:{worker['ui_port']}"
        rows.append(status_row(worker["name"], KIND, page in leading.get("workers", []), page))
    for history in info.get("histories", []):
        rows.append(
            status_row(history["name"], KIND, not history["error"], history["page"], "history")
        )
    return rows


def _master(master: dict[str, Any], found: dict[str, Any]) -> dict[str, str]:
    """Row of one master, with its role (leader or standby) and the address of its page."""
    status = found.get("status", "")
    endpoint = f"spark://{master['host']}:{master['port']}"
    notes = [_ROLES.get(status, status.lower()), f"page {found['page']}" if found else ""]
    note = ", ".join(filter(None, notes))
    return status_row(master["name"], KIND, status in _ROLES, endpoint, note)


class FilterModule:
    """Filters of the spark role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"spark_status": status}
