# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of server.properties that a site sets for all brokers or for one broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._common.properties_file import PropertyError, as_text
from .._declarations.declaration_reader import format_value
from .._declarations.problem import Problem, advice
from .._site.kafka import KAFKA
from .._site.site_model import Site
from .kafka_keys import PROPERTIES

ALL, ONE = PROPERTIES, "kafka_broker_host_properties"


def declared_keys(site: Site, host: str) -> dict[str, tuple[str, Any]]:
    """Return for each key the variable that sets it on a broker, and its value."""
    found: dict[str, tuple[str, Any]] = {}
    for variable in (ALL, ONE):
        value = site.value(host, variable, {})
        if isinstance(value, Mapping):
            found |= {str(key): (variable, each) for key, each in value.items()}
    return found


def broker_keys(site: Site) -> Iterator[Problem]:
    """Broker properties are dicts, and a host's value does not drop keys of the common one"""
    brokers = site.members(KAFKA.group)
    for host in brokers:
        for key, (variable, value) in declared_keys(site, host).items():
            try:
                as_text(key, "" if value is None else value)
            except PropertyError:
                allowed = "text, a number, true or false, or a list"
                yield Problem(host, f"{variable}[{key}]", format_value(value), allowed)
        for variable in (ALL, ONE):
            value = site.value(host, variable, {})
            if not isinstance(value, Mapping):
                yield Problem(host, variable, format_value(value), "a dict")
    keys = {
        host: set(value) for host, value in site.values(brokers, ALL) if isinstance(value, Mapping)
    }
    every = set[str]().union(*keys.values())
    for host, own in keys.items():
        if own and (missing := sorted(every - own)):
            yield advice(
                host,
                ALL,
                f"no {', '.join(missing)}, which other brokers have",
                f"the same keys on all brokers, null to unset one; additional keys in {ONE}",
            )
