# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of the platform as users of the cluster, with the rights their own work needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._declarations.declarations_package import needs_of
from .certificate_names import reserved
from .security_modes import OPERATOR, SecurityError

PIPELINE = "pipeline-"
DEMO = "demo"


def of_pipelines(
    pipelines: Mapping[str, Mapping[str, Any]], marks: str = "kafka-metal-marks"
) -> dict[str, Any]:
    """Each pipeline as a user that reads its source and writes its results, and nothing else.

    Whoever writes in transactions also reads and writes the topic ``marks``.
    """
    # A row that is too large for its topic goes to the invalid one: the driver asks for the limit.
    limits = {"limits": True}
    users = {}
    for name, pipeline in pipelines.items():
        needs = needs_of(pipeline)
        reads = list(dict.fromkeys(topic for _, topic in needs.reads))
        writes = list(dict.fromkeys(topic for _, topic in needs.writes))
        roles: list[dict[str, Any]] = []
        if reads:
            roles.append({"consumer": {"topic": _one(reads), "group": f"kafka-metal-{name}*"}})
        if needs.marks:
            own = {"topic": [*writes, marks], "transactional_id": f"kafka-metal-{name}.*"}
            roles += [{"producer": own | limits}, {"consumer": {"topic": marks, "group": marks}}]
        elif writes:
            roles.append({"producer": {"topic": writes} | limits})
        users[f"{PIPELINE}{name}"] = {"roles": roles}
    return users


def _one(names: list[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else names


def programs(
    pipelines: Mapping[str, Mapping[str, Any]],
    demo_topic: str,
    demo_reads: list[str],
    marks: str = "kafka-metal-marks",
) -> dict[str, Any]:
    """The operator, every pipeline, and the client of the demonstration, as declared users."""
    reads = {"topic": [demo_topic, *demo_reads], "group": "kafka-metal-*"}
    demo = {"roles": [{"producer": demo_topic}, {"consumer": reads}]}
    # Above all ACLs: it needs no role.
    return {
        OPERATOR: {},
        DEMO: demo,
        **of_pipelines(pipelines, marks),
    }


def together(
    site: Mapping[str, Any], ours: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Users of the site and ours; raises SecurityError on a name that is not the site's to give.

    ``defaults`` are keys of the site's users who do not say them.
    """
    wrong = [
        f"kafka_content_users.{name}: is a name of the platform itself; choose another"
        for name in site
        if name in ours or reserved(str(name))
    ]
    if wrong:
        raise SecurityError("; ".join(wrong))
    return {**{name: {**(defaults or {}), **(user or {})} for name, user in site.items()}, **ours}


def without_passwords(users: Mapping[str, Any]) -> dict[str, Any]:
    """The same users where everybody shows a certificate."""
    return {name: {**(user or {}), "mechanisms": []} for name, user in users.items()}
