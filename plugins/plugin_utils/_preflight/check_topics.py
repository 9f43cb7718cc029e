# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Replication of declared topics and of topics that brokers create."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._declarations.declaration_reader import Reader
from .._declarations.declared_topics import DEFAULTS, TOPICS, read_topics
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.site_model import Site
from .broker_keys import ALL, declared_keys

# Broker keys of replication factors, with the key of the minimum of in-sync replicas.
_COPIES = {
    "default.replication.factor": "min.insync.replicas",
    "offsets.topic.replication.factor": "min.insync.replicas",
    "transaction.state.log.replication.factor": "transaction.state.log.min.isr",
}


def declared_topics(site: Site) -> dict[str, dict[str, Any]]:
    """Return the desired topics by name; malformed ones are left out.

    The first broker's variables declare them.
    """
    for host in site.members(KAFKA.group)[:1]:
        return read_topics(Reader(), site.value(host, TOPICS), site.value(host, DEFAULTS))
    return {}


def topic_copies(site: Site) -> Iterator[Problem]:
    """No declared topic has more replicas than there are brokers."""
    brokers = len(site.members(KAFKA.group))
    allowed = f"1 to {brokers}, the number of brokers"
    for host in site.members(KAFKA.group)[:1]:
        # By declaration: one default applies to many topics.
        found: dict[str, int] = {}
        for name, spec in declared_topics(site).items():
            own = site.value(host, TOPICS)[name]
            key = "placement" if "placement" in spec else "replication"
            explicit = isinstance(own, Mapping) and own.get(key) is not None
            where = f"{TOPICS}.{name}" if explicit else DEFAULTS
            found[f"{where}.{key}"] = spec.get("replication_factor", 0)
        for where, copies in found.items():
            if copies > brokers:
                yield Problem(host, where, str(copies), allowed)


def broker_copies(site: Site) -> Iterator[Problem]:
    """Topics that brokers create do not have more replicas than there are brokers."""
    hosts = site.members(KAFKA.group)
    brokers = len(hosts)
    # Defaults of the role for a cluster of this size.
    defaults = {
        "min.insync.replicas": min(2, brokers),
        "transaction.state.log.min.isr": min(2, brokers),
    }
    seen = set()
    for host in hosts:
        properties = declared_keys(site, host)
        own = {key: value for key, (_, value) in properties.items()}
        for copies_key, least_key in _COPIES.items():
            copies = whole_number(own.get(copies_key, min(3, brokers)))
            least = whole_number(own.get(least_key, defaults[least_key]))
            for key, number, highest, what in (
                (copies_key, copies, brokers, "the number of brokers"),
                (least_key, least, copies, copies_key),
            ):
                if key in own and (number is None or number < 1):
                    found, allowed = repr(own[key]), "a whole number from 1"
                elif number is not None and highest is not None and number > highest:
                    found = f"{number}" if key in own else f"{number}, which role kafka_broker sets"
                    allowed = f"1 to {highest}, {what}"
                else:
                    continue
                # Brokers usually have the same properties: report them once.
                if (key, found) not in seen:
                    seen.add((key, found))
                    where = properties[key][0] if key in properties else ALL
                    yield Problem(host, f"{where}[{key}]", found, allowed)
