# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of the platform's kinds of services."""

from __future__ import annotations

from .kinds import Service
from .reading import catalogue

# In start order.
SERVICES = catalogue()


def service(kind: str) -> Service:
    """Return one kind of service; raises KeyError."""
    return {each.kind: each for each in SERVICES}[kind]
