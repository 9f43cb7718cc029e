# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names of Spark's services, and the leader election of its masters."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem
from .._security import security_modes
from .._site import metadata_services
from .._site.site_model import Site
from .._site.spark import MASTER, SPARK


def spark_names(site: Site) -> Iterator[Problem]:
    """Names of Spark's masters, workers and history servers are unique, as containers have them"""
    seen: dict[str, str] = {}
    for service in SPARK:
        variable = f"{service.group}_name"
        for host, value in site.values(site.members(service.group), variable):
            name = str(value)
            if name in seen:
                yield Problem(host, variable, f"{name}, also used by {seen[name]}", "a unique name")
            seen.setdefault(name, host)


def spark_master_election(site: Site) -> Iterator[Problem]:
    """Several masters have a metadata service for leader election that users cannot write to"""
    masters = site.members(MASTER.group)
    if len(masters) < 2:
        return
    if not site.members(metadata_services.GROUP):
        found = f"{len(masters)} masters and no ensemble for their leader election"
        yield Problem(MASTER.group, "group", found, "one master, or servers of an ensemble")
    modes = {str(site.value(host, "security_mode", security_modes.DEFAULT)) for host in masters}
    if "mtls" in modes:
        found = (
            f"{len(masters)} masters in mode mtls, where users' certificates can write to the "
            "ensemble"
        )
        yield Problem(MASTER.group, "group", found, "one master, or mode tls_scram")
