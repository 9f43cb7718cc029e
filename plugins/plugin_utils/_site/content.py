# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared topics, users, ACLs and quotas of the site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...module_utils._content.topics import parse_specs
from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_specs
from .._declarations.service_data import to_builtin
from .._security import service_accounts
from .._security.security_modes import SecurityError
from .host_secrets import Host
from .inventory import UnusableVariable

# The reader's keys are the role's variables without this prefix.
PREFIX = "kafka_content_"
KEYS = (
    *("topics", "defaults", "name_pattern", "users"),
    *("acls", "quotas", "absent", "confirm_delete"),
)
# A declaration that cannot be read; preflight reports it.
INVALID = (DeclarationError, SecurityError, UnusableVariable)


def given(value: Callable[[str], Any]) -> dict[str, Any]:
    """Return the declarations; ``value`` returns a variable of the role kafka_content."""
    return {key: value(f"{PREFIX}{key}") for key in KEYS}


def specs(
    value: Callable[[str], Any],
    accounts: Mapping[str, Any],
    defaults: Mapping[str, Any],
    topics: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """Return the options of the modules for content, with service ``accounts`` and ``topics``.

    ``defaults`` are default keys of the site's users. Raises one of INVALID.
    """
    declared = given(value)
    users = service_accounts.merge_accounts(declared["users"] or {}, accounts, defaults)
    return content_specs({**declared, "users": users, "service_topics": topics})


def declared(host: Host) -> dict[str, Any]:
    """What screens compare with the cluster, see content_problems.py and declared_client.py.

    Empty if it is invalid, or if the site has no brokers.
    """
    brokers = host.fact("kafka.hosts")
    try:
        return _declared(host, brokers[0]) if brokers else {}
    # Values of the wrong type fail at any place, as in reader.py.
    except (*INVALID, AttributeError, KeyError, TypeError, ValueError):
        return {}


def _declared(host: Host, broker: str) -> dict[str, Any]:
    """Read the declarations at a broker's host, as the role kafka_content does."""
    found = specs(
        lambda name: to_builtin(host.variable_of(broker, name)),
        host.fact("users.service_accounts"),
        host.fact("users.defaults"),
        host.fact("kafka.service_topics"),
    )
    # A pipeline's user has the name of its instance.
    pipelines = host.fact("pipelines.topics")
    return {
        "topics": _topics(found["topics"]["topics"], pipelines),
        "users": {name: [name] if name in pipelines else [] for name in host.fact("users.names")},
        "quotas": found["quotas"]["quotas"],
    }


def _topics(
    options: Mapping[str, Any], pipelines: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """Return declared topics in plain types; ``pipelines`` has topics by instance."""
    affects: dict[str, list[str]] = {}
    for instance, topics in pipelines.items():
        for topic in topics:
            affects.setdefault(topic, []).append(instance)
    return {
        each.name: {
            "partitions": each.partitions,
            "replicas": each.replication_factor,
            "config": dict(each.config),
            "defaults": sorted(each.defaults),
            "affects": affects.get(each.name, []),
        }
        for each in parse_specs(options)
    }
