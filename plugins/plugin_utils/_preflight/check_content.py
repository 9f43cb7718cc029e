# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared topics, users, ACLs and quotas, and declared removals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_specs
from .._declarations.problem import Problem
from .._site import content, site_users
from .._site.inventory import Inventory
from .._site.kafka import KAFKA
from .._site.site_model import Site


def content_declared(site: Site) -> Iterator[Problem]:
    """Declared topics, users, roles, ACLs and quotas are valid, and none is also declared absent"""
    for host in site.members(KAFKA.group)[:1]:
        try:
            content_specs(content.given(_reader(site, host)))
        except DeclarationError as error:
            for fault in error.faults:
                yield Problem(host, fault.where, fault.found, fault.allowed)


def read_content(site: Site, host: str) -> dict[str, Any] | None:
    """Return the options of the modules for content, service accounts included.

    None if a declaration is invalid, which other checks report.
    """
    inventory = Inventory(site.hosts, site.groups)
    try:
        accounts = site_users.content_service_accounts(inventory)
        return content.specs(_reader(site, host), accounts, site_users.defaults(inventory))
    except content.INVALID:
        return None


def _reader(site: Site, host: str) -> Callable[[str], Any]:
    return lambda name: site.value(host, name, None)
