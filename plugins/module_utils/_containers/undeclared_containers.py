# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers of a cluster that the inventory does not have on their machine.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._common import container_labels
from .._problems.platform_problem import Problem


def split_by_declaration(
    inspected: Iterable[Mapping[str, Any]], declared: Collection[str]
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Split inspections: those of ``declared`` instances or of no instance, and the others."""
    ours: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for each in inspected:
        name = container_labels.label_from_inspection(each, container_labels.INSTANCE)
        (ours if not name or name in declared else others).append(each)
    return ours, others


def undeclared(inspected: Iterable[Mapping[str, Any]], machine: str) -> list[Problem]:
    """Return a note for each container of an instance that is not declared."""
    found = []
    for each in inspected:
        name = container_labels.label_from_inspection(each, container_labels.INSTANCE)
        state = "runs" if (each.get("State") or {}).get("Running") else "is stopped"
        text = f"{name} {state} on {machine}, where the inventory does not have it"
        found.append(Problem("ContainerUndeclared", name, text))
    return found
