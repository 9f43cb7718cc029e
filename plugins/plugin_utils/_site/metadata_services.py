# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of preflight for the services in which brokers keep their metadata, by mode."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem
from .site_model import Site

# Of the inventory, and the mode in which brokers keep their metadata there.
GROUP = "zookeeper"


def ensemble_size(site: Site) -> Iterator[Problem]:
    """An odd number of servers, when brokers keep their metadata there."""
    modes = {str(mode) for _, mode in site.values(site.members("kafka"), "kafka_metadata_mode")}
    servers = site.members(GROUP)
    if GROUP in modes and not servers:
        yield Problem("zookeeper", "group", "no server", "1, 3 or 5 servers")
    elif servers and len(servers) % 2 == 0:
        yield Problem(
            "zookeeper",
            "group",
            f"{len(servers)} servers ({', '.join(servers)})",
            "an odd number: 1, 3 or 5; an even one tolerates no more failures than one fewer",
        )
