# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared storage of checkpoints, archives and event logs of Spark's applications."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.declaration_reader import Reader
from .._declarations.problem import Problem
from .._declarations.storage import PATH, STORAGE, read_storage
from .._site.pipeline import PIPELINE
from .._site.site_model import Site
from .._site.spark import SPARK


def storage_declared(site: Site) -> Iterator[Problem]:
    """Storage has a known kind with valid keys, and is the same for all of Spark."""
    sharing = [host for service in (*SPARK, PIPELINE) for host in site.members(service.group)]
    owners: dict[str, str] = {}
    for host in sharing:
        declared = site.value(host, STORAGE, {"kind": PATH})
        # The message must not contain the declaration, which has secret keys.
        if owners and repr(declared) not in owners:
            other = next(iter(owners.values()), "")
            yield Problem(
                host, STORAGE, f"another storage than {other} has", "one for all of Spark"
            )
        if repr(declared) in owners:
            continue
        owners[repr(declared)] = host
        reader = Reader()
        read_storage(reader, declared, str(site.value(host, "cluster_name", "")))
        for fault in reader.faults:
            yield Problem(host, fault.where, fault.found, fault.allowed)
