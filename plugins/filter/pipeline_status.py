# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for pipelines in the status screen, from the responses of their drivers."""

from collections.abc import Mapping
from typing import Any

from ..module_utils._problems import pipeline_problems
from ..module_utils._problems.driver_status import state_in_response
from ..plugin_utils._operations.status_row import status_row


def pipeline_status(
    responses: Mapping[str, Any], endpoints: Mapping[str, str], error: str = ""
) -> dict[str, Any]:
    """Rows, states and problems of all pipelines.

    ``responses`` are those of M(metal.kafka.web_info), by name. A response of another pipeline's
    driver is none. ``error`` is the reason if there are no responses.
    """
    states: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    for name in endpoints:
        response = responses.get(name) or {"error": error}
        state, reason = state_in_response(response, name)
        states.append(state or {"name": name, "state": "unreachable", "outputs": {}})
        problems += [each.as_dict() for each in pipeline_problems.problems(name, state, reason)]
    return {
        "services": [
            status_row(
                pipeline_problems.instance(state["name"]),
                "pipeline",
                state["state"] == "running",
                f"http://{endpoints[state['name']]}/status",
                state["state"],
            )
            for state in states
        ],
        "pipelines": states,
        "problems": problems,
    }


class FilterModule:
    """Filter of the pipelines' status."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"pipeline_status": pipeline_status}
