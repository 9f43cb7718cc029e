# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Racks of brokers, over which Kafka spreads replicas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._declarations.declared_topics import DEFAULTS
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, advice, join_names
from .._site.kafka import KAFKA
from .._site.site_model import Site
from .check_topics import declared_topics


def _racks(site: Site) -> dict[str, list[str]]:
    """Brokers by rack; the key of brokers without a rack is an empty string."""
    found: dict[str, list[str]] = {}
    for host in site.members(KAFKA.group):
        found.setdefault(str(site.value(host, str(KAFKA.rack), "")), []).append(host)
    return found


def racks_complete(site: Site) -> Iterator[Problem]:
    """Either all brokers have a rack or none has."""
    racks = _racks(site)
    without = racks.pop("", [])
    if without and racks:
        yield Problem(
            without[0],
            str(KAFKA.rack),
            f"no rack for {join_names(without)}, but a rack for others",
            f"a rack such as {min(racks)}, or none for any broker: Kafka spreads replicas over "
            "racks only when all have one",
        )


def racks_enough(site: Site) -> Iterator[Problem]:
    """There are as many racks as replicas, so that losing a rack loses one replica."""
    racks = _racks(site)
    copies = _most_copies(site)
    if "" not in racks and racks and len(racks) < copies:
        yield advice(
            KAFKA.group,
            str(KAFKA.rack),
            f"{len(racks)} racks ({join_names(racks)}) for {copies} replicas",
            f"{copies} racks: otherwise losing one rack loses several replicas of a partition",
        )


def _most_copies(site: Site) -> int:
    """The highest replication factor of the declared topics and the defaults."""
    found = [spec.get("replication_factor", 0) for spec in declared_topics(site).values()]
    for host in site.members(KAFKA.group)[:1]:
        defaults = site.value(host, DEFAULTS, {})
        if isinstance(defaults, Mapping):
            found.append(whole_number(defaults.get("replication", 0)) or 0)
    return max(found, default=0)
