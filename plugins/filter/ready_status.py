# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for services in the status screen that report by HTTP whether they are ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils._problems import problem_kinds
from ..module_utils._problems.platform_problem import Problem
from ..module_utils._services import web_pages
from ..plugin_utils._operations.status_row import status_row

# Error of web_info for an instance that runs, and does not serve yet.
STARTING = web_pages.status_error(503)


def ready_status(
    responses: Mapping[str, Any], kind: str, endpoints: Mapping[str, str], error: str = ""
) -> dict[str, Any]:
    """Rows and problems of instances of a kind, from responses to their readiness.

    An instance that responds and is not ready (503) is starting, with a note. ``responses`` are
    those of M(metal.kafka.web_info), by instance, ``endpoints`` host:port for clients. ``error`` is
    the reason if there are no responses.
    """
    reasons = {
        name: str(responses[name]["error"]) if name in responses else error or "no response"
        for name in endpoints
    }
    return {
        "services": [
            _row(status_row(name, kind, not reasons[name], endpoint), reasons[name])
            for name, endpoint in endpoints.items()
        ],
        "problems": [_problem(name, reason) for name, reason in reasons.items() if reason],
    }


def _row(row: dict[str, str], reason: str) -> dict[str, str]:
    return {**row, "state": "starting"} if reason == STARTING else row


def _problem(name: str, reason: str) -> dict[str, Any]:
    if reason == STARTING:
        text = f"{name} is starting: it is not ready yet"
        return Problem("ServiceStarting", name, text, severity=problem_kinds.NOTE).as_dict()
    return Problem("ServiceDown", name, f"{name} does not respond: {reason}").as_dict()


class FilterModule:
    """Filter of services that report whether they are ready."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"ready_status": ready_status}
