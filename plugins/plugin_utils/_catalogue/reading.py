# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of the kinds of services: one file each, ``roles/ROLE/meta/services/KIND.yml``.

A file has the fields of kinds.Service, most of them names of variables. The role is the one of the
file's path; the default group has the name of the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, get_type_hints

import yaml

from .kinds import ApiUsers, Certificate, ClientGroup, Server, Service, User

COLLECTION = Path(__file__).resolve().parents[3]
_PARTS = {
    "clients": ClientGroup,
    "certificates": Certificate,
    "container_users": User,
    "api_users": ApiUsers,
    "connects_to": Server,
}
# Allowed values of a field, by its type in kinds.py.
_ALLOWED: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("one value, a text", lambda found: isinstance(found, str)),
    str | None: ("one value, a text", lambda found: isinstance(found, str)),
    bool: ("true or false", lambda found: isinstance(found, bool)),
    int: ("a whole number above 0", lambda found: type(found) is int and found > 0),
    tuple[str, ...]: (
        "a list of texts",
        lambda found: isinstance(found, list) and all(isinstance(each, str) for each in found),
    ),
    tuple[int, int]: (
        "a list of two numbers, the lowest first",
        lambda found: (
            isinstance(found, list)
            and [type(each) for each in found] == [int, int]
            and found[0] <= found[1]
        ),
    ),
    Mapping[str, str]: (
        "a mapping of texts",
        lambda found: (
            isinstance(found, Mapping) and all(isinstance(each, str) for each in found.values())
        ),
    ),
    Mapping[str, Mapping[str, Any]]: (
        "a mapping of mappings",
        lambda found: (
            isinstance(found, Mapping) and all(isinstance(each, Mapping) for each in found.values())
        ),
    ),
}


class CatalogueError(Exception):
    """A file of the catalogue is invalid; the message has the place and what is allowed."""


def _fields(of: type, given: Any, where: str) -> dict[str, Any]:
    """Validate the fields of a dataclass in a file; raises CatalogueError."""
    if not isinstance(given, Mapping):
        raise CatalogueError(f"{where}: found no mapping")
    types, known = get_type_hints(of), fields(of)
    allowed = ", ".join(sorted(types))
    if unknown := sorted(map(str, set(given) - set(types))):
        raise CatalogueError(f"{where}: found {', '.join(unknown)}; allowed: {allowed}")
    needed = {each.name for each in known if each.default is each.default_factory is MISSING}
    # Role and group have defaults, see the module's docstring.
    if missing := sorted(needed - set(given) - {"role", "group"}):
        raise CatalogueError(f"{where}: has no {', '.join(missing)}")
    for name, value in given.items():
        wanted, fits = _ALLOWED.get(types[name], ("a list", lambda found: isinstance(found, list)))
        if not fits(value):
            raise CatalogueError(f"{where}: {name}: found {value!r}; allowed: {wanted}")
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }


def read(path: Path) -> Service:
    """Read one kind of service; raises CatalogueError."""
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (ValueError, yaml.YAMLError) as error:
        raise CatalogueError(f"{path}: found no YAML: {error}") from error
    found = _fields(Service, given, str(path))
    if found["kind"] != path.stem:
        raise CatalogueError(f"{path}: kind: found {found['kind']!r}; allowed: {path.stem}")
    parts = {
        name: tuple(part(**_fields(part, each, f"{path}: {name}")) for each in found[name])
        for name, part in _PARTS.items()
        if name in found
    }
    one = Service(**{"role": path.parents[2].name, "group": found["kind"], **found, **parts})
    # Prometheus scrapes the metrics directly, or through a proxy on the machine.
    if one.job and not one.metrics_port and not (one.ports and (one.listener or one.address)):
        raise CatalogueError(
            f"{path}: job: found without a port to scrape; required: metrics_port, or ports "
            "together with address or listener"
        )
    return one


def _add_clients(found: dict[str, Service]) -> None:
    """Add each kind to the clients of the kinds that it connects to; raises CatalogueError."""
    for one in list(found.values()):
        for server in one.connects_to:
            if server.kind not in found:
                raise CatalogueError(
                    f"{one.kind}: connects_to: found {server.kind}; allowed: existing kinds"
                )
            client = ClientGroup(one.group, server.port, server.purpose, server.listener)
            to = found[server.kind]
            found[server.kind] = replace(to, clients=(*to.clients, client))


def catalogue(collection: Path = COLLECTION) -> tuple[Service, ...]:
    """Read all kinds, in start order; raises CatalogueError."""
    found: dict[str, Service] = {}
    for path in sorted(collection.glob("roles/*/meta/services/*.yml")):
        one = read(path)
        if one.kind in found:
            raise CatalogueError(f"{path}: role {found[one.kind].role} already has this kind")
        found[one.kind] = one
    _add_clients(found)
    order = TopologicalSorter[str]()
    for kind in found:
        after = found[kind].after
        if unknown := sorted(set(after) - set(found)):
            raise CatalogueError(
                f"{kind}: after: found {', '.join(unknown)}; allowed: existing kinds"
            )
        order.add(kind, *after)
    try:
        order.prepare()
    except CycleError as error:
        raise CatalogueError(f"after: {' starts after '.join(reversed(error.args[1]))}") from error
    starts: list[Service] = []
    while order.is_active():
        # Kinds that can start at the same time, sorted by name.
        ready = sorted(order.get_ready())
        starts += (found[kind] for kind in ready)
        order.done(*ready)
    return tuple(starts)
