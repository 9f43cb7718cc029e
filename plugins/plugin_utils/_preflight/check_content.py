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
from .._site.inventory import Inventory, UnusableVariable
from .._site.kafka import KAFKA
from .._site.service_topics import service_topics
from .._site.site_model import Site


def content_declared(site: Site) -> Iterator[Problem]:
    """Declared topics, users, roles, ACLs and quotas are valid, and none is also declared absent"""
    for host in site.members(KAFKA.group)[:1]:
        try:
            topics = service_topics(Inventory(site.hosts, site.groups))
            content_specs({**content.given(_reader(site, host)), "service_topics": topics})
        except UnusableVariable:
            # Other checks report the variable of the service.
            continue
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
        defaults, topics = site_users.defaults(inventory), service_topics(inventory)
        return content.specs(_reader(site, host), accounts, defaults, topics)
    except content.INVALID:
        return None


def _reader(site: Site, host: str) -> Callable[[str], Any]:
    return lambda name: site.value(host, name, None)
