# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a site that a run can compare alone, by the variables that determine only that part.

A part is compared if its own variables have changed. All other variables, and everything else that
determines what hosts get, belong to REST, whose change makes a run compare everything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._catalogue import SERVICES

CONTENT, PIPELINES, MONITORING, REST = "content", "pipelines", "monitoring", "rest"
# The secret store, compared with everything else: a digest of its own, which a run can replace that
# has changed only the store.
STORE = "store"

# Roles that read these variables are in tests/unit/test_site_parts.py.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    CONTENT: (
        *("kafka_content_topics", "kafka_content_defaults", "kafka_content_name_pattern"),
        *("kafka_content_users", "kafka_content_acls", "kafka_content_quotas"),
        "kafka_content_absent",
    ),
    PIPELINES: ("pipeline_pipelines",),
    MONITORING: ("monitoring_alerts", "monitoring_receivers", "monitoring_runbooks"),
}
# What changed, for messages.
NOUNS = {
    CONTENT: "declared topics, users, ACLs or quotas",
    PIPELINES: "declared pipelines",
    MONITORING: "declared alerts, receivers or names of pipelines",
    REST: "declarations of hosts, brokers or Spark",
    STORE: "keys or passwords of the secret store",
    "settings": "live settings of brokers",
}
_WORD = re.compile(r"\w+")


def kinds(parts: Iterable[str]) -> list[str]:
    """Kinds of services of the roles that own variables of these parts."""
    roles = tuple(f"{service.role}_" for service in SERVICES)
    owners = {
        role
        for part in parts
        for name in VARIABLES.get(part, ())
        for role in roles
        if name.startswith(role)
    }
    return sorted(service.kind for service in SERVICES if f"{service.role}_" in owners)


def split(hosts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return for each part its variables by host.

    A variable that the value of another one names is in REST: it may determine more than its part.
    """
    named = _named_by_others(hosts)
    part_of = {
        name: part for part, names in VARIABLES.items() for name in names if name not in named
    }
    found: dict[str, dict[str, Any]] = {part: {} for part in (*VARIABLES, REST)}
    for host, values in hosts.items():
        for part in found:
            found[part][host] = {k: v for k, v in values.items() if part_of.get(k, REST) == part}
        # Metrics are scraped from each pipeline, on a port by its position.
        declared = found[PIPELINES][host].get("pipeline_pipelines")
        names = list(declared) if isinstance(declared, Mapping) else declared
        found[MONITORING][host]["pipelines"] = names
    return found


def _named_by_others(hosts: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Variables of parts whose name is in the value of another variable."""
    own = {name for names in VARIABLES.values() for name in names}
    found: set[str] = set()
    for values in hosts.values():
        for name, value in values.items():
            words = set(_words(value))
            found |= own & (words - {name})
    return found


def _words(value: Any) -> Iterable[str]:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return _WORD.findall(text)
