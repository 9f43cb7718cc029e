# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Masters of Spark: who they are, and that they can agree who leads."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem
from .._security import security_modes
from .._site import metadata_services
from .._site.site_model import Site
from .._site.spark import MASTER, SPARK


def spark_names(site: Site) -> Iterator[Problem]:
    """Each part of Spark has a name of its own: containers and rows of the screen carry it."""
    seen: dict[str, str] = {}
    for service in SPARK:
        word = f"{service.group}_name"
        for host, value in site.values(site.members(service.group), word):
            name = str(value)
            if name in seen:
                yield Problem(host, word, f"{name}, as {seen[name]} has it", "a name of its own")
            seen.setdefault(name, host)


def one_master_leads(site: Site) -> Iterator[Problem]:
    """Several masters agree in an ensemble who leads, and users cannot write there."""
    masters = site.members(MASTER.group)
    if len(masters) < 2:
        return
    if not site.members(metadata_services.GROUP):
        found = f"{len(masters)} masters and no ensemble in which they agree who leads"
        yield Problem(MASTER.group, "group", found, "one master, or servers of an ensemble")
    words = {str(site.value(host, "security_mode", security_modes.DEFAULT)) for host in masters}
    if "mtls" in words:
        found = (
            f"{len(masters)} masters in mode mtls, where a user's certificate opens the ensemble"
        )
        yield Problem(MASTER.group, "group", found, "one master, or mode tls_scram")
