# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Where checkpoints, archives and the logs of Spark's applications lie, as declared."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.declaration_reader import Reader
from .._declarations.problem import Problem
from .._declarations.storage import PATH, STORAGE, read_storage
from .._site.pipeline import PIPELINE
from .._site.site_model import Site
from .._site.spark import SPARK


def storage_declared(site: Site) -> Iterator[Problem]:
    """A kind that there is, with its keys, and the same one for all who share it."""
    sharing = [host for service in (*SPARK, PIPELINE) for host in site.members(service.group)]
    said: dict[str, str] = {}
    for host in sharing:
        declared = site.value(host, STORAGE, {"kind": PATH})
        # Shown nowhere: it has keys in it.
        if said and repr(declared) not in said:
            other = next(iter(said.values()), "")
            yield Problem(
                host, STORAGE, f"another storage than {other} has", "one for all of Spark"
            )
        if repr(declared) in said:
            continue
        said[repr(declared)] = host
        reader = Reader()
        read_storage(reader, declared, str(site.value(host, "cluster_name", "")))
        for fault in reader.faults:
            yield Problem(host, fault.where, fault.found, fault.allowed)
