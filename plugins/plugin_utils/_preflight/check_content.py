# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users, ACLs and quotas as declared, and what is to be gone."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.declaration_reader import DeclarationError
from .._declarations.declared_content import content_wishes
from .._declarations.problem import Problem
from .._site.service_catalogue import KAFKA
from .._site.site_model import Site

# Keys of the reader, and the variables of the role; topics have checks of their own.
_PREFIX = "kafka_content_"
_KINDS = ("users", "acls", "quotas", "absent", "confirm_delete")
_TOPICS = ("kafka_content_topics", "kafka_content_defaults", "kafka_content_name_pattern")


def content_declared(site: Site) -> Iterator[Problem]:
    """Users, roles, ACLs and quotas that can be taken, and nothing both declared and absent."""
    for host in site.members(KAFKA.group)[:1]:
        given = {kind: site.value(host, f"{_PREFIX}{kind}", None) for kind in _KINDS}
        try:
            content_wishes({**given, "topics": site.value(host, _TOPICS[0], {})})
        except DeclarationError as error:
            for fault in error.faults:
                if not fault.where.startswith(_TOPICS):
                    yield Problem(host, fault.where, fault.found, fault.allowed)
