# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of all kinds of services, for the checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._security.security_modes import SecurityError
from .instances import condition_met
from .inventory import Inventory, UnusableVariable
from .site_model import Site


def instances(site: Site, services: Sequence[Service] = SERVICES) -> Iterator[tuple[str, Service]]:
    """Yield each host with each service that it runs."""
    for each in services:
        for host in service_hosts(site, each):
            yield host, each


def service_hosts(site: Site, each: Service) -> list[str]:
    """Hosts with an instance of a kind."""
    exists = site.once(f"whether {each.when}", partial(_condition_met, site, each.when))
    return site.members(each.group) if exists else []


def differing_hosts(
    site: Site, each: Service, variable: str, default: Any = None
) -> Iterator[tuple[str, str]]:
    """Yield each host of a kind with another value than the kind's first host, and that host."""
    found = service_hosts(site, each)
    for host in found[1:]:
        if site.value(host, variable, default) != site.value(found[0], variable, default):
            yield host, found[0]


def _condition_met(site: Site, fact: str) -> bool:
    try:
        return condition_met(Inventory(site.hosts, site.groups), fact)
    except (SecurityError, UnusableVariable):
        # Other checks report the variable itself.
        return False
