# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics, users, ACLs and quotas as declared, and what is to be gone."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_specs
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.site_model import Site

# Keys of the reader are variables of the role without its prefix.
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
    """Topics, users, roles, ACLs and quotas that can be taken, none both declared and absent."""
    for host in site.members(KAFKA.group)[:1]:
        try:
            content_specs({key: site.value(host, f"{_PREFIX}{key}", None) for key in _KEYS})
        except DeclarationError as error:
            for fault in error.faults:
                yield Problem(host, fault.where, fault.found, fault.allowed)
