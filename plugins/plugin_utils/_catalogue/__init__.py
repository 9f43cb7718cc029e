# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of services of the platform. Whoever lists them reads this."""

from __future__ import annotations

from .kinds import Service
from .reading import catalogue

# Each behind those that start before it.
SERVICES = catalogue()


def service(kind: str) -> Service:
    """One kind of service; raises KeyError."""
    return {each.kind: each for each in SERVICES}[kind]
