# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for services in the status screen that report by HTTP whether they are ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils._problems.platform_problem import Problem
from ..plugin_utils._operations.status_row import status_row


def ready_status(
    responses: Mapping[str, Any], kind: str, endpoints: Mapping[str, str], error: str = ""
) -> dict[str, Any]:
    """Rows and problems of instances of a kind, from responses to their readiness.

    ``responses`` are those of M(metal.kafka.web_info), by instance, ``endpoints`` host:port for
    clients. ``error`` is the reason if there are no responses.
    """
    reasons = {
        name: str(responses[name]["error"]) if name in responses else error or "no response"
        for name in endpoints
    }
    return {
        "services": [
            status_row(name, kind, not reasons[name], endpoint)
            for name, endpoint in endpoints.items()
        ],
        "problems": [
            Problem("ServiceDown", name, f"{name} is not ready: {reason}").as_dict()
            for name, reason in reasons.items()
            if reason
        ],
    }


class FilterModule:
    """Filter of services that report whether they are ready."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"ready_status": ready_status}
