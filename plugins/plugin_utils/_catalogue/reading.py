# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the kinds of services: one file each, ``roles/ROLE/meta/services/KIND.yml``.

A file has the fields of kinds.Service, most of them names of variables; the role is the one whose
file it is, the group that of the same name as the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import yaml

from .kinds import Caller, Certificate, Service, User

COLLECTION = Path(__file__).resolve().parents[3]
_LISTS = ("after", "ids", "ports", "directories", "disks", "journal", "usages", "reached")
_PARTS = {"callers": Caller, "certificates": Certificate, "users": User}


class CatalogueError(Exception):
    """A file of the catalogue that cannot be used: which one, where, what is allowed."""


def _fields(of: type, given: Any, where: str) -> dict[str, Any]:
    """What a file says, for a dataclass; raises CatalogueError."""
    if not isinstance(given, Mapping):
        raise CatalogueError(f"{where}: found no mapping")
    allowed = {each.name for each in fields(of)}
    if unknown := sorted(set(given) - allowed):
        raise CatalogueError(
            f"{where}: found {', '.join(unknown)}; allowed: {', '.join(sorted(allowed))}"
        )
    for name, value in given.items():
        if (name in (*_LISTS, *_PARTS)) != isinstance(value, list):
            wanted = "a list" if name in (*_LISTS, *_PARTS) else "one value"
            raise CatalogueError(f"{where}: {name}: found {value!r}; allowed: {wanted}")
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }


def read(path: Path) -> Service:
    """One kind of service; raises CatalogueError."""
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = _fields(Service, given, str(path))
    if found.get("kind") != path.stem:
        raise CatalogueError(f"{path}: kind: found {found.get('kind')!r}; allowed: {path.stem}")
    parts = {
        name: tuple(part(**_fields(part, each, f"{path}: {name}")) for each in found[name])
        for name, part in _PARTS.items()
        if name in found
    }
    role = path.parents[2].name
    return Service(**{"role": role, "group": found["kind"], **found, **parts})


def catalogue(collection: Path = COLLECTION) -> tuple[Service, ...]:
    """All kinds, each behind those that start before it; raises CatalogueError."""
    found = {
        one.kind: one for one in map(read, sorted(collection.glob("roles/*/meta/services/*.yml")))
    }
    order = TopologicalSorter[str]()
    for kind in found:
        after = found[kind].after
        if unknown := sorted(set(after) - set(found)):
            raise CatalogueError(
                f"{kind}: after: found {', '.join(unknown)}; there is no such kind"
            )
        order.add(kind, *after)
    try:
        order.prepare()
    except CycleError as error:
        raise CatalogueError(f"after: {' starts after '.join(reversed(error.args[1]))}") from error
    starts: list[Service] = []
    while order.is_active():
        # Those that may start together, by name.
        ready = sorted(order.get_ready())
        starts += (found[kind] for kind in ready)
        order.done(*ready)
    return tuple(starts)
