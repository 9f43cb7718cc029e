# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values that have the types of their options, are addresses, or are equal on all instances."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._catalogue import SERVICES
from .._declarations.inventory_values import is_boolean, whole_number
from .._declarations.problem import Problem
from .._site.inventory import UnreadableVariable
from .._site.site_instances import differing_hosts, instances
from .._site.site_model import Site

# A name of DNS or of a container, IPv4, or IPv6; without port, blanks and scheme.
_ADDRESS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?")
_PORT = re.compile(r"[^:]+:\d{1,5}")
_ADDRESS_ALLOWED = "a host name or an IP address, without a port"
_LONGEST = 80


def _is_collection(value: Any) -> bool:
    return isinstance(value, (Mapping, Sequence)) and not isinstance(value, str)


# By type of an option: its name for messages, and whether Ansible accepts a value for it.
_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: not _is_collection(value)),
    "path": ("a path", lambda value: not _is_collection(value)),
    "int": ("a whole number", lambda value: whole_number(value) is not None),
    "bool": ("true or false", is_boolean),
    # Ansible also reads the texts {...} and name=value.
    "dict": (
        "a mapping",
        lambda value: (
            isinstance(value, Mapping)
            or (isinstance(value, str) and (value.strip()[:1] == "{" or "=" in value))
        ),
    ),
    # A single value is a list of one.
    "list": ("a list", lambda value: not isinstance(value, Mapping)),
}


def value_types(site: Site) -> Iterator[Problem]:
    """Variables of roles have the types of their options"""
    options = {name: spec for role in site.roles.values() for name, spec in role.options.items()}
    for host in site.hosts:
        for name in sorted(set(site.own_names(host)) & set(options)):
            allowed, fits = _TYPES.get(options[name].get("type", ""), ("", None))
            if fits is None:
                continue
            try:
                value = site.hosts[host].get(name)
            except UnreadableVariable:
                # Reported if another check reads it: a run may define what its template needs.
                continue
            if value is not None and not fits(value):
                yield Problem(host, name, _kind(value), allowed)


def _kind(value: Any) -> str:
    """The value if it is short and no collection: others may have secrets."""
    if isinstance(value, Mapping):
        return "a mapping"
    if _is_collection(value):
        return "a list"
    return repr(value) if len(repr(value)) <= _LONGEST else "a long text"


def service_addresses(site: Site) -> Iterator[Problem]:
    """Addresses of services are host names or IP addresses, without a port"""
    for host, service in instances(site):
        metrics = service.metrics_bind if service.metrics_port else None
        for variable in dict.fromkeys(filter(None, (service.address, service.bind, metrics))):
            value = site.value(host, variable, "")
            # Other types: value_types. A value that is required: required_values.
            if not isinstance(value, str) or not value:
                continue
            if not _ADDRESS.fullmatch(value) or _PORT.fullmatch(value):
                yield Problem(host, variable, _kind(value), _ADDRESS_ALLOWED)


def instances_agree(site: Site) -> Iterator[Problem]:
    """All instances of a service have the same value of variables that they share"""
    for service in SERVICES:
        for variable in service.shared:
            for host, first in differing_hosts(site, service, variable):
                value = site.value(first, variable)
                allowed = f"{value!r}, as on {first}: all instances share it"
                yield Problem(host, variable, repr(site.value(host, variable)), allowed)
