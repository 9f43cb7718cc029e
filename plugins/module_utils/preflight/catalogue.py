# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of services of the platform: one file each, ``roles/ROLE/meta/services/KIND.yml``.

Whoever lists kinds of services reads this. A file has the fields of Service, most of them names of
variables; the role is the one whose file it is, the group that of the same name as the kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import yaml

from .services import Caller, Service
from .site import Site

COLLECTION = Path(__file__).resolve().parents[3]
_LISTS = ("after", "ids", "ports", "directories", "disks", "journal")


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
        if (name in (*_LISTS, "callers")) != isinstance(value, list):
            wanted = "a list" if name in (*_LISTS, "callers") else "one value"
            raise CatalogueError(f"{where}: {name}: found {value!r}; allowed: {wanted}")
    return dict(given)


def read(path: Path) -> Service:
    """One kind of service; raises CatalogueError."""
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = _fields(Service, given, str(path))
    if found.get("kind") != path.stem:
        raise CatalogueError(f"{path}: kind: found {found.get('kind')!r}; allowed: {path.stem}")
    callers = tuple(
        Caller(**_fields(Caller, each, f"{path}: callers")) for each in found.pop("callers", ())
    )
    lists = {name: tuple(found.pop(name)) for name in _LISTS if name in found}
    role = path.parents[2].name
    return Service(**{"role": role, "group": found["kind"], **found, **lists}, callers=callers)


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
        return tuple(found[kind] for kind in order.static_order())
    except CycleError as error:
        raise CatalogueError(f"after: {' starts after '.join(reversed(error.args[1]))}") from error


SERVICES = catalogue()
_BY_KIND: Mapping[str, Service] = {service.kind: service for service in SERVICES}

KAFKA, PIPELINE, MONITORING = (_BY_KIND[kind] for kind in ("kafka", "pipeline", "monitoring"))
SPARK_MASTER, SPARK_WORKER = _BY_KIND["spark_master"], _BY_KIND["spark_worker"]
SPARK = (SPARK_MASTER, SPARK_WORKER, _BY_KIND["spark_history"])


def instances(site: Site, services: Sequence[Service] = SERVICES) -> Iterator[tuple[str, Service]]:
    """Every host with every service it runs."""
    for service in services:
        for host in site.members(service.group):
            yield host, service
