# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Roles of users, and the operations that each role allows."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from ...module_utils._content.acls import ALLOW, ANYWHERE, CLUSTER_NAME, LITERAL, PREFIXED, Acl
from .declaration_reader import Reader, format_value

ALL = "*"
NO_STAR = re.compile(r"[^*\s][^*]{0,254}")
TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")
NAMES = {"topic": TOPIC}
NAMES_ALLOWED = {
    "topic": "1 to 249 letters, digits, '.', '_' and '-'; with '*' at the end for a prefix",
    "": "a name, with '*' at the end for a prefix, or only '*' for all",
}


@dataclass(frozen=True)
class Right:
    """Operations on one kind of resource that a role allows.

    ``key`` is the key of the role that names the resources, ``*`` for all of them. With
    ``begins`` the resources start with the name and a dash. With ``switch`` the right requires
    that this key of the role is true.
    """

    resource_type: str
    key: str
    operations: tuple[str, ...]
    begins: bool = False
    switch: str = ""


WRITING = ("write", "describe")
READING = ("read", "describe")
DESCRIBE = ("describe", "describe_configs")
INTERNAL = ("read", "write", "create", "delete", "describe", "describe_configs")
MANAGE = ("create", "delete", "alter", "alter_configs", "describe", "describe_configs")

ROLES: dict[str, tuple[Right, ...]] = {
    "producer": (
        Right("topic", "topic", WRITING),
        Right("topic", "topic", ("create",), switch="create"),
        Right("topic", "topic", ("describe_configs",), switch="limits"),
        Right("transactional_id", "transactional_id", WRITING),
        Right("cluster", "", ("idempotent_write",), switch="idempotent"),
    ),
    "consumer": (
        Right("topic", "topic", READING),
        Right("topic", "topic", ("describe_configs",), switch="limits"),
        Right("group", "group", ("read",)),
    ),
    "streams": (
        Right("topic", "input", READING),
        Right("topic", "output", WRITING),
        Right("topic", "application", INTERNAL, begins=True),
        Right("group", "application", READING),
        Right("transactional_id", "application", WRITING, begins=True, switch="exactly_once"),
    ),
    "observer": (
        Right("topic", "topic", DESCRIBE),
        Right("group", "group", ("describe",)),
        Right("cluster", "", DESCRIBE),
    ),
    "admin": (
        Right("topic", "topic", MANAGE),
        Right("cluster", "", ("all",), switch="cluster"),
        Right("topic", ALL, ("all",), switch="cluster"),
        Right("group", ALL, ("all",), switch="cluster"),
        Right("transactional_id", ALL, ("all",), switch="cluster"),
    ),
}
# The key of a role that is declared as a text only, and the required keys.
SHORT = {"producer": "topic", "streams": "application", "observer": "topic", "admin": "topic"}
REQUIRED = {
    "producer": ("topic",),
    "consumer": ("topic", "group"),
    "streams": ("application",),
    "observer": ("topic",),
}


def boolean_keys(role: str) -> list[str]:
    """Boolean keys of a role."""
    return list(dict.fromkeys(right.switch for right in ROLES[role] if right.switch))


def resource_keys(role: str) -> list[str]:
    """Keys of a role that name resources."""
    keys = (right.key for right in ROLES[role])
    return list(dict.fromkeys(key for key in keys if key not in ("", ALL)))


def read_address(reader: Reader, where: str, value: Any) -> str:
    """IP address of clients, ``*`` for any; Kafka supports neither names nor networks."""
    try:
        return ANYWHERE if value == ANYWHERE else str(ipaddress.ip_address(str(value)))
    except ValueError:
        reader.refuse(where, format_value(value), "one IP address, or '*' for any")
        return ANYWHERE


def read_resource(
    reader: Reader, where: str, value: Any, resource_type: str
) -> tuple[str, str] | None:
    """Name and pattern of a declared resource: ``payments``, ``payments-*``, ``*``."""
    if value == ALL:
        return ALL, LITERAL
    begins = isinstance(value, str) and value.endswith(ALL)
    found = reader.text(
        where,
        value[:-1] if begins else value,
        NAMES.get(resource_type, NO_STAR),
        NAMES_ALLOWED.get(resource_type, NAMES_ALLOWED[""]),
    )
    return (found, PREFIXED if begins else LITERAL) if found is not None else None


def read_role(reader: Reader, where: str, principal: str, value: Any) -> set[Acl]:
    """ACLs of one declared role, such as ``{producer: payments}``."""
    if not isinstance(value, Mapping) or len(value) != 1:
        found = f"{len(value)} keys" if isinstance(value, Mapping) else format_value(value)
        reader.refuse(where, found, f"a mapping with one role: {list_allowed('', ROLES)}")
        return set()
    ((key, given),) = value.items()
    role = str(key)
    if role not in ROLES:
        reader.refuse(where, repr(role), list_allowed(role, ROLES))
        return set()
    where = f"{where}.{role}"
    if isinstance(given, (str, list, tuple)) and role in SHORT:
        given = {SHORT[role]: given}
    names, on = resource_keys(role), boolean_keys(role)
    if not isinstance(given, Mapping):
        short = f", or just the {SHORT[role]}" if role in SHORT else ""
        allowed = f"a mapping with keys of {', '.join([*names, *on, 'host'])}{short}"
        reader.refuse(where, format_value(given), allowed)
        return set()
    keys = reader.mapping(where, given, [*names, *on, "host"], REQUIRED.get(role, ()))
    if role == "admin" and not keys.keys() & {"topic", "cluster"}:
        reader.refuse(where, "neither topic nor cluster", "one of them, or both")
    host = read_address(reader, f"{where}.host", keys["host"]) if "host" in keys else ANYWHERE
    live = {each for each in on if each in keys and reader.switch(f"{where}.{each}", keys[each])}
    resources = {key: _resources(reader, where, role, key, keys) for key in names if key in keys}
    return _expand(principal, role, resources, live, host)


def _resources(
    reader: Reader, where: str, role: str, key: str, found: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Names and patterns of the resources under one key of a role."""
    rights = [right for right in ROLES[role] if right.key == key]
    kind = rights[0].resource_type
    read = []
    for path, each in reader.several(f"{where}.{key}", found[key]):
        if any(right.begins for right in rights):
            name = reader.text(path, each, TOPIC, "letters, digits, '.', '_' and '-'")
            read.append((name, LITERAL) if name else None)
        else:
            read.append(read_resource(reader, path, each, kind))
    return [each for each in read if each is not None]


def _expand(
    principal: str,
    role: str,
    resources: Mapping[str, Iterable[tuple[str, str]]],
    live: Iterable[str],
    host: str,
) -> set[Acl]:
    """ACLs of a role with its resources by key."""
    acls = set()
    for right in ROLES[role]:
        if right.switch and right.switch not in live:
            continue
        if right.key == ALL:
            places: Iterable[tuple[str, str]] = [(ALL, LITERAL)]
        elif not right.key:
            places = [(CLUSTER_NAME, LITERAL)]
        else:
            places = resources.get(right.key, ())
        for name, pattern in places:
            if right.begins:
                name, pattern = f"{name}-", PREFIXED
            acls |= {
                Acl(principal, right.resource_type, name, operation, pattern, ALLOW, host)
                for operation in right.operations
            }
    return acls
