# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared topics, users, ACLs and quotas, and declared removals."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_specs
from .._declarations.problem import Problem
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
            content_specs({key: site.value(host, f"{_PREFIX}{key}", None) for key in _KEYS})
        except DeclarationError as error:
            for fault in error.faults:
                yield Problem(host, fault.where, fault.found, fault.allowed)
