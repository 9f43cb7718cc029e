# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of services that checks know by name, and instances of all kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._catalogue import SERVICES, service
from .._catalogue.kinds import Service
from .site_model import Site

KAFKA, PIPELINE, MONITORING = (service(kind) for kind in ("kafka", "pipeline", "monitoring"))
SPARK_MASTER, SPARK_WORKER = service("spark_master"), service("spark_worker")
SPARK = (SPARK_MASTER, SPARK_WORKER, service("spark_history"))


def instances(site: Site, services: Sequence[Service] = SERVICES) -> Iterator[tuple[str, Service]]:
    """Every host with every service it runs."""
    for each in services:
        for host in site.members(each.group):
            yield host, each
