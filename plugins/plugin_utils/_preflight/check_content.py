# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared topics, users, ACLs and quotas, and declared removals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_specs
from .._declarations.problem import Problem
from .._security import service_accounts
from .._security.security_modes import SecurityError
from .._site import site_users
from .._site.inventory import Inventory, UnusableVariable
from .._site.kafka import KAFKA
from .._site.site_model import Site

# The reader's keys are the role's variables without this prefix.
_PREFIX = "kafka_content_"
_KEYS = (
    "topics",
    "defaults",
    "name_pattern",
    "users",
    "acls",
    "quotas",
    "absent",
    "confirm_delete",
)


def content_declared(site: Site) -> Iterator[Problem]:
    """Declared topics, users, roles, ACLs and quotas are valid, and none is also declared absent"""
    for host in site.members(KAFKA.group)[:1]:
        try:
            content_specs(_declared(site, host))
        except DeclarationError as error:
            for fault in error.faults:
                yield Problem(host, fault.where, fault.found, fault.allowed)


def read_content(site: Site, host: str) -> dict[str, Any] | None:
    """Return the options of the modules for content, service accounts included.

    None if a declaration is invalid, which other checks report.
    """
    inventory = Inventory(site.hosts, site.groups)
    declared = _declared(site, host)
    try:
        accounts = site_users.content_service_accounts(inventory)
        users = service_accounts.merge_accounts(
            declared["users"] or {}, accounts, site_users.defaults(inventory)
        )
        return content_specs({**declared, "users": users})
    except (DeclarationError, SecurityError, UnusableVariable):
        return None


def _declared(site: Site, host: str) -> dict[str, Any]:
    return {key: site.value(host, f"{_PREFIX}{key}", None) for key in _KEYS}
