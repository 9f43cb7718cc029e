# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that merge the results of roles into the state of the platform."""

from collections.abc import Mapping
from typing import Any

from ..module_utils._host.engine_facts import HUNG, START

# Suffix of the fact that each role's tasks/status.yml sets on its hosts.
STATUS_FACT = "_platform_status"
HUNG_RUNBOOK = "docs/operate/alerts/ContainerEngineUnreachable.md"


def certificates_status(expiry: list[dict[str, Any]], warn_days: int) -> dict[str, Any]:
    """Certificates for the status screen: the one that expires first, and those to renew.

    ``expiry`` is a result of M(metal.kafka.credentials).
    """
    ending = sorted(expiry, key=lambda each: each["days_left"])
    return {
        "certificates": ending[:1],
        "problems": [
            f"{each['kind']} {each['name']} expires in {each['days_left']} days, "
            f"{each['not_after']}: make up renews it"
            for each in ending
            if each["days_left"] < warn_days
        ],
    }


def engine_status(answer: Mapping[str, Any], machine: str, socket: str) -> dict[str, Any]:
    """The row of a machine's container engine, from the result of a request to its C(_ping).

    Without the engine running containers continue, but are not restarted.
    """
    if answer.get("unreachable"):
        problem = f"machine {machine} is unreachable: its engine was not checked"
    elif answer.get("status") != 200:
        error = answer.get("msg") or f"status {answer.get('status')}"
        # `make up` starts a stopped engine; preflight refuses one that hangs.
        restart = f"it hangs, restart it: {HUNG_RUNBOOK}"
        step = restart if HUNG in error else START
        problem = f"the engine of {machine} does not respond on {socket} ({error}): {step}"
    else:
        problem = ""
    state = "down" if problem else "running"
    row = {"name": f"engine@{machine}", "kind": "engine", "state": state, "health": ""}
    return {
        "services": [{**row, "endpoint": socket, "note": ""}],
        "problems": [problem] if problem else [],
    }


def platform_state(
    hosts: Mapping[str, Mapping[str, Any]], cluster: str, bootstrap: list[str], access: str = ""
) -> dict[str, Any]:
    """State for ``kafka-metal status`` and ``report``, from the facts that roles set on hosts.

    ``access`` is the operator's file for clients, empty for a cluster without security.
    """
    state: dict[str, Any] = {
        "cluster": cluster,
        "bootstrap": ",".join(bootstrap),
        "access": access,
        "certificates": [],
        "services": [],
        "cluster_info": {},
        "pipelines": [],
        "problems": [],
        "notes": [],
    }
    for host in hosts:
        for fact in [name for name in hosts[host] if name.endswith(STATUS_FACT)]:
            found = hosts[host][fact]
            for key in ("services", "pipelines", "problems", "notes", "certificates"):
                state[key] += found.get(key) or []
            state["cluster_info"] = found.get("cluster_info") or state["cluster_info"]
    return state


class FilterModule:
    """Filters of the status screen."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "certificates_status": certificates_status,
            "engine_status": engine_status,
            "platform_state": platform_state,
        }
