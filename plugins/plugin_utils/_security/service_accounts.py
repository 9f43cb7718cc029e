# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Service accounts of the platform, with the roles that they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._declarations.declarations_package import read_needs
from .certificate_names import is_reserved
from .security_modes import OPERATOR, SecurityError

PIPELINE = "pipeline-"
DEMO = "demo"


def pipeline_accounts(
    pipelines: Mapping[str, Mapping[str, Any]], marks: str = "kafka-metal-marks"
) -> dict[str, Any]:
    """A service account for each pipeline, which may only read its source and write its outputs.

    Pipelines with transactions also read and write the topic ``marks``.
    """
    # Drivers read the topic's size limit, to write larger rows to the topic of invalid records.
    limits = {"limits": True}
    users = {}
    for name, pipeline in pipelines.items():
        needs = read_needs(pipeline)
        reads = list(dict.fromkeys(topic for _, topic in needs.reads))
        writes = list(dict.fromkeys(topic for _, topic in needs.writes))
        roles: list[dict[str, Any]] = []
        if reads:
            roles.append(
                {"consumer": {"topic": _one_or_list(reads), "group": f"kafka-metal-{name}*"}}
            )
        if needs.marks:
            own = {"topic": [*writes, marks], "transactional_id": f"kafka-metal-{name}.*"}
            roles += [{"producer": own | limits}, {"consumer": {"topic": marks, "group": marks}}]
        elif writes:
            roles.append({"producer": {"topic": writes} | limits})
        users[f"{PIPELINE}{name}"] = {"roles": roles}
    return users


def _one_or_list(names: list[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else names


def all_accounts(
    pipelines: Mapping[str, Mapping[str, Any]],
    demo_topic: str,
    demo_reads: list[str],
    marks: str = "kafka-metal-marks",
) -> dict[str, Any]:
    """The operator, the demo client and all pipelines, as declared users."""
    reads = {"topic": [demo_topic, *demo_reads], "group": "kafka-metal-*"}
    demo = {"roles": [{"producer": demo_topic}, {"consumer": reads}]}
    # The operator is a super user and needs no role.
    return {
        OPERATOR: {},
        DEMO: demo,
        **pipeline_accounts(pipelines, marks),
    }


def merge_accounts(
    site: Mapping[str, Any], accounts: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Merge users of the site and service accounts; raises SecurityError on a reserved name.

    ``defaults`` are default keys of the site's users.
    """
    wrong = [
        f"kafka_content_users.{name}: found a name reserved for the platform; allowed: another name"
        for name in site
        if name in accounts or is_reserved(str(name))
    ]
    if wrong:
        raise SecurityError("; ".join(wrong))
    users = {name: {**(defaults or {}), **(user or {})} for name, user in site.items()}
    return {**users, **accounts}


def without_passwords(users: Mapping[str, Any]) -> dict[str, Any]:
    """Return the users without password mechanisms, for authentication by certificate."""
    return {name: {**(user or {}), "mechanisms": []} for name, user in users.items()}
