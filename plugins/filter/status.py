# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a whole platform, gathered from what each role found."""

from collections.abc import Mapping
from typing import Any

# Ending of the fact that each role's tasks/status.yml leaves on the host it ran on.
STATUS_FACT = "_platform_status"


def pipeline_states(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """State of each pipeline, from the loop of requests to their drivers.

    An answer is the driver's own JSON; without one the pipeline is ``unreachable``.
    """
    return [
        answer["json"]
        if answer.get("status") == 200 and isinstance(answer.get("json"), dict)
        else {"name": answer["item"], "state": "unreachable", "error": answer.get("msg", "")}
        for answer in answers
    ]


def pipeline_rows(
    states: list[dict[str, Any]], address: str, first_port: int
) -> list[dict[str, str]]:
    """Rows of the status screen, one per pipeline; their ports follow each other."""
    return [
        {
            "name": f"pipeline-{state['name']}",
            "kind": "pipeline",
            "state": "running" if state["state"] == "running" else "down",
            "health": "healthy" if state["state"] == "running" else "",
            "endpoint": f"http://{address}:{first_port + place}/status",
            "note": state["state"],
        }
        for place, state in enumerate(states)
    ]


def platform_state(
    hosts: Mapping[str, Mapping[str, Any]], cluster: str, bootstrap: list[str]
) -> dict[str, Any]:
    """What ``kafka-metal status`` and ``report`` draw, from the facts the roles left on hosts."""
    state: dict[str, Any] = {
        "cluster": cluster,
        "bootstrap": ",".join(bootstrap),
        "services": [],
        "cluster_info": {},
        "pipelines": [],
        "problems": [],
    }
    for host in hosts:
        for fact in [name for name in hosts[host] if name.endswith(STATUS_FACT)]:
            found = hosts[host][fact]
            for key in ("services", "pipelines", "problems"):
                state[key] += found.get(key) or []
            state["cluster_info"] = found.get("cluster_info") or state["cluster_info"]
    return state


class FilterModule:
    """Filters of the status screen."""

    def filters(self) -> dict[str, Any]:
        """Names as templates use them."""
        return {
            "pipeline_states": pipeline_states,
            "pipeline_rows": pipeline_rows,
            "platform_state": platform_state,
        }
