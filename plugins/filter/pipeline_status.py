# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for pipelines in the status screen, from the responses of their drivers."""

from collections.abc import Mapping
from typing import Any


def pipeline_states(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """State of each pipeline, from the loop of requests to their drivers.

    A response is the driver's JSON. Without one, or with a response of another pipeline's driver,
    the pipeline is ``unreachable``.
    """
    return [_state_of(answer) for answer in answers]


def _state_of(answer: dict[str, Any]) -> dict[str, Any]:
    name, body = answer["item"], answer.get("json")
    error = answer.get("msg", "")
    if answer.get("status") == 200 and isinstance(body, dict):
        if body.get("name") == name:
            return body
        error = f"its port is used by the driver of {body.get('name')}"
    return {"name": name, "state": "unreachable", "error": error}


def pipeline_rows(
    states: list[dict[str, Any]], endpoints: Mapping[str, str]
) -> list[dict[str, str]]:
    """Rows of the status screen, one per pipeline."""
    return [
        {
            "name": f"pipeline-{state['name']}",
            "kind": "pipeline",
            "state": "running" if state["state"] == "running" else "down",
            "health": "healthy" if state["state"] == "running" else "",
            "endpoint": f"http://{endpoints[state['name']]}/status",
            "note": state["state"],
        }
        for state in states
    ]


class FilterModule:
    """Filters of the pipelines' status."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"pipeline_states": pipeline_states, "pipeline_rows": pipeline_rows}
