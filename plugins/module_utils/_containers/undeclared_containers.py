# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers of a cluster that the inventory does not have on their machine.

``declared`` has the names of the instances on the machine, by the label of their containers' kind.
A kind that it does not have is not of the platform, such as a site's own service of monitoring.
Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._common import container_labels
from .._problems.platform_problem import Problem

KIND = "ContainerUndeclared"
Declared = Mapping[str, Sequence[str]]


def is_declared(kind: str, name: str, declared: Declared) -> bool:
    """Whether the inventory has this instance on the machine, or its kind is not known."""
    names = declared.get(kind)
    return names is None or name in names


def split_by_declaration(
    inspected: Iterable[Mapping[str, Any]], declared: Declared
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Split inspections of containers into the declared ones and the others."""
    ours: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for each in inspected:
        kind = container_labels.label_from_inspection(each, container_labels.SERVICE)
        (ours if is_declared(kind, _name(each), declared) else others).append(each)
    return ours, others


def undeclared(inspected: Iterable[Mapping[str, Any]], machine: str) -> list[Problem]:
    """Return a note for each container of an instance that is not declared."""
    found = []
    for each in inspected:
        name = _name(each)
        state = "runs" if (each.get("State") or {}).get("Running") else "is stopped"
        text = f"{name} {state} on {machine}, where the inventory does not have it"
        found.append(Problem(KIND, name, text))
    return found


def _name(found: Mapping[str, Any]) -> str:
    return container_labels.label_from_inspection(found, container_labels.INSTANCE)
