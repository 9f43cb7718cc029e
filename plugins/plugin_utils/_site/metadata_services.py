# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Preflight checks of metadata services, by metadata mode."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem
from .kafka import KAFKA
from .site_model import Site
from .zookeeper import GROUP, MODE
from .zookeeper_keys import metadata_key_names

__all__ = ["GROUP", "ensemble_size", "metadata_key_names"]


def ensemble_size(site: Site) -> Iterator[Problem]:
    """The metadata ensemble has an odd number of servers, if brokers use one."""
    modes = {str(mode) for _, mode in site.values(site.members(KAFKA.group), "kafka_metadata_mode")}
    servers = site.members(GROUP)
    if MODE in modes and not servers:
        yield Problem(GROUP, "group", "no server", "1, 3 or 5 servers")
    elif servers and len(servers) % 2 == 0:
        yield Problem(
            GROUP,
            "group",
            f"{len(servers)} servers ({', '.join(servers)})",
            "an odd number: 1, 3 or 5; an even number tolerates no more failures than one less",
        )
