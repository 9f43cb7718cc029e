# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a whole platform, gathered from what each role found."""

from collections.abc import Mapping
from typing import Any

from ..module_utils._host.engine_facts import HUNG, START

# Ending of the fact that each role's tasks/status.yml leaves on the host it ran on.
STATUS_FACT = "_platform_status"
HUNG_RUNBOOK = "docs/operate/alerts/ContainerEngineUnreachable.md"


def certificates_status(expiry: list[dict[str, Any]], warn_days: int) -> dict[str, Any]:
    """What the status screen says of certificates: the one that ends first, and who is late.

    ``expiry`` is what M(metal.kafka.credentials) returns.
    """
    ending = sorted(expiry, key=lambda each: each["days_left"])
    return {
        "certificates": ending[:1],
        "problems": [
            f"{each['kind']} {each['name']} ends in {each['days_left']} days, "
            f"{each['not_after']}: make up renews it"
            for each in ending
            if each["days_left"] < warn_days
        ],
    }


def engine_status(answer: Mapping[str, Any], machine: str, socket: str) -> dict[str, Any]:
    """The row of a machine's container engine, from the result of a request to its C(_ping).

    While it is silent containers may go on, but nothing starts one that ends.
    """
    if answer.get("unreachable"):
        problem = f"machine {machine} cannot be reached: its engine was not asked"
    elif answer.get("status") != 200:
        why = answer.get("msg") or f"status {answer.get('status')}"
        # `make up` starts one that is down; preflight refuses one that hangs.
        step = f"it hangs, restart it: {HUNG_RUNBOOK}" if HUNG in why else START
        problem = f"the engine of {machine} does not answer on {socket} ({why}): {step}"
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
    """What ``kafka-metal status`` and ``report`` draw, from the facts the roles left on hosts.

    ``access`` is the operator's file for clients, empty for a cluster that asks nobody.
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
        """Names as templates use them."""
        return {
            "certificates_status": certificates_status,
            "engine_status": engine_status,
            "platform_state": platform_state,
        }
