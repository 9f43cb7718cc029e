# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Inventories that no run can work on, found before a host is contacted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .._site import renamed_variables
from .._site.kafka import KAFKA


class ScopeError(Exception):
    """The run is refused; the text says why."""


@dataclass(frozen=True)
class Scope:
    """Hosts of a run: ``groups`` are those of the inventory, ``limit`` the value of --limit.

    ``clusters`` has the ``cluster_name`` of each host of the run, empty without one, and
    ``names`` the names of all their variables.
    """

    groups: Mapping[str, Sequence[str]]
    limit: str | None
    clusters: Iterable[str]
    names: Iterable[str]

    def cluster(self, *, whole: bool, brokers: bool) -> str:
        """Return the name of the run's cluster.

        ``whole``: refuse --limit; ``brokers``: refuse an inventory without brokers. Raises
        ScopeError.
        """
        if whole and self.limit is not None:
            raise ScopeError(
                f"--limit: found {self.limit}; allowed: none, because the result covers all hosts "
                "together. Nothing was read"
            )
        if not self.groups.get("all"):
            raise ScopeError("the inventory has no hosts, nothing was done")
        if not self.groups.get("metal"):
            others = ", ".join(sorted(self.groups.keys() - {"all", "ungrouped"})) or "none"
            raise ScopeError(
                "the inventory has no hosts in group metal, which are the machines; its groups: "
                f"{others}. Nothing was done"
            )
        clusters = list(dict.fromkeys(self.clusters))
        if len(clusters) != 1:
            raise ScopeError(
                f"nothing was touched: hosts of this run have clusters {', '.join(clusters)} "
                "(cluster_name); allowed: one cluster for all hosts. Choose its hosts with --limit"
            )
        # Without this check, defaults would silently replace the values under the old names.
        if old := renamed_variables.messages(self.names):
            raise ScopeError(f"nothing was touched: {'; '.join(old)}. See docs/start/from-0.1.md")
        if not clusters[0]:
            raise ScopeError("nothing was touched: cluster_name: found none; allowed: a name")
        if brokers and not self.groups.get(KAFKA.group):
            raise ScopeError(f"the inventory has no hosts in group {KAFKA.group}, nothing was read")
        return clusters[0]
