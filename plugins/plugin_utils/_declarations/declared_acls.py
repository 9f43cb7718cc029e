# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Single ACLs as an inventory declares them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._content.acls import (
    ALLOW,
    ANYWHERE,
    CLUSTER_NAME,
    DENY,
    OPERATIONS,
    Acl,
    acl_fields,
)
from .declaration_reader import Reader
from .roles import read_address, read_resource

ACLS = "kafka_content_acls"
PRINCIPAL = re.compile(r"[A-Za-z]\w*:(\*|[^*\s][^*\n]{0,511})")
RESOURCES = ("topic", "group", "transactional_id", "delegation_token", "user")
PATTERNS = ("literal", "prefixed")


def read_acls(reader: Reader, where: str, items: Any) -> set[Acl]:
    """Read entries of ACLs, each for one principal, one resource and some operations."""
    acls: set[Acl] = set()
    for path, item in reader.listed(where, items):
        acls |= read_acl(reader, path, item)
    return acls


def read_acl(reader: Reader, where: str, item: Any) -> set[Acl]:
    """Read the ACLs of one entry."""
    keys = ("principal", "permission", "operations", "host", "pattern", *RESOURCES, "cluster")
    given = reader.mapping(where, item, keys, ("principal", "operations"))
    if not given:
        return set()
    principal = "User:unknown"
    if "principal" in given:
        allowed = "a type and a name, such as User:alice, or User:* for all users"
        path = f"{where}.principal"
        principal = reader.text(path, given["principal"], PRINCIPAL, allowed) or principal
    place = _read_resource(reader, where, given)
    permission = ALLOW
    if "permission" in given:
        path = f"{where}.permission"
        permission = reader.choice(path, given["permission"], (ALLOW, DENY)) or ALLOW
    host = read_address(reader, f"{where}.host", given["host"]) if "host" in given else ANYWHERE
    if place is None:
        return set()
    kind, name, pattern = place
    operations = [
        reader.choice(path, each, OPERATIONS[kind])
        for path, each in reader.several(f"{where}.operations", given.get("operations", "all"))
    ]
    return {
        Acl(principal, kind, name, operation, pattern, permission, host)
        for operation in operations
        if operation
    }


def _read_resource(
    reader: Reader, where: str, given: Mapping[str, Any]
) -> tuple[str, str, str] | None:
    """Kind, name and pattern of the resource of an entry, which must be exactly one."""
    kinds = [kind for kind in (*RESOURCES, "cluster") if kind in given]
    if len(kinds) != 1:
        found = " and ".join(kinds) if kinds else "no resource"
        reader.refuse(where, found, f"one of {', '.join((*RESOURCES, 'cluster'))}")
        return None
    kind = kinds[0]
    if kind == "cluster":
        if not reader.switch(f"{where}.cluster", given["cluster"]):
            reader.refuse(f"{where}.cluster", "false", "true, or another resource")
            return None
        return kind, CLUSTER_NAME, "literal"
    if "pattern" not in given:
        found_place = read_resource(reader, f"{where}.{kind}", given[kind], kind)
        return (kind, *found_place) if found_place else None
    # With an explicit pattern, stars in the name are literal.
    pattern = reader.choice(f"{where}.pattern", given["pattern"], PATTERNS)
    anything = re.compile(r"[^\n]{1,255}")
    name = reader.text(f"{where}.{kind}", given[kind], anything, "1 to 255 characters")
    return (kind, name, pattern) if name and pattern else None


def check_contradictions(reader: Reader, acls: Iterable[Acl]) -> None:
    """Refuse ACLs that are both allowed and denied, of which only the denial would apply."""
    given = set(acls)
    for acl in sorted(given):
        if acl.permission == DENY and _other(acl, ALLOW) in given:
            reader.refuse(ACLS, f"both {_other(acl, ALLOW)} and {acl}", "one of the two")


def _other(acl: Acl, permission: str) -> Acl:
    return Acl(**{**acl_fields(acl), "permission": permission})
