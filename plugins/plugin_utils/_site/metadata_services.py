# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Services in which brokers keep their metadata: their variables and rules, by mode.

The only file of preflight that knows a mode by name.
"""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem
from .services import Caller, Service
from .site_model import Site

ZOOKEEPER = Service(
    group="zookeeper",
    role="zookeeper",
    id="zookeeper_server_id",
    ids=(1, 255),
    bind="zookeeper_bind_address",
    ports=("zookeeper_client_port", "zookeeper_peer_port", "zookeeper_election_port"),
    directories=("zookeeper_data_dir", "zookeeper_log_dir"),
    heap="zookeeper_heap",
    memory="zookeeper_memory",
    address="zookeeper_address",
    callers=(
        Caller("kafka", "zookeeper_client_port", "metadata"),
        Caller("spark_master", "zookeeper_client_port", "who leads"),
        Caller("zookeeper", "zookeeper_client_port", "questions of the playbooks"),
        Caller("zookeeper", "zookeeper_peer_port", "the quorum"),
        Caller("zookeeper", "zookeeper_election_port", "elections"),
    ),
    journal=("zookeeper_log_dir",),
    agent="zookeeper_metrics_port",
)

# Where masters of Spark agree who leads.
ENSEMBLE = ZOOKEEPER

SERVICES = (ZOOKEEPER,)


def ensemble_size(site: Site) -> Iterator[Problem]:
    """An odd number of servers, when brokers keep their metadata there."""
    modes = {str(mode) for _, mode in site.values(site.members("kafka"), "kafka_metadata_mode")}
    servers = site.members(ZOOKEEPER.group)
    if ZOOKEEPER.group in modes and not servers:
        yield Problem("zookeeper", "group", "no server", "1, 3 or 5 servers")
    elif servers and len(servers) % 2 == 0:
        yield Problem(
            "zookeeper",
            "group",
            f"{len(servers)} servers ({', '.join(servers)})",
            "an odd number: 1, 3 or 5; an even one tolerates no more failures than one fewer",
        )
