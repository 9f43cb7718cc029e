# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Pipelines in the status screen, from the answers of their drivers."""

from collections.abc import Mapping
from typing import Any


def pipeline_states(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """State of each pipeline, from the loop of requests to their drivers.

    An answer is the driver's own JSON; without one, or with that of another pipeline's driver, the
    pipeline is ``unreachable``.
    """
    return [_state_of(answer) for answer in answers]


def _state_of(answer: dict[str, Any]) -> dict[str, Any]:
    name, told = answer["item"], answer.get("json")
    error = answer.get("msg", "")
    if answer.get("status") == 200 and isinstance(told, dict):
        if told.get("name") == name:
            return told
        error = f"the driver of {told.get('name')} answers at its port"
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
        """Names as templates use them."""
        return {"pipeline_states": pipeline_states, "pipeline_rows": pipeline_rows}
