# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of ACLs to equivalent roles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._content.acls import ALLOW, ANYWHERE, PREFIXED, Acl
from .declaration_reader import Reader
from .roles import ALL, DESCRIBE, MANAGE, SHORT, read_resource, read_role


def format_resource(name: str, pattern: str) -> str:
    """A resource in the form of declarations."""
    return f"{name}{ALL}" if pattern == PREFIXED else name


def fold_into_roles(principal: str, acls: Iterable[Acl]) -> tuple[list[dict[str, Any]], list[Acl]]:
    """Return roles that cover ACLs of one principal, and the ACLs that no role covers.

    The roles grant nothing outside ``acls``; both results together equal ``acls``.
    """
    hosts: dict[str, set[Acl]] = defaultdict(set)
    rest = []
    for acl in acls:
        if acl.permission == ALLOW:
            hosts[acl.host].add(acl)
        else:
            rest.append(acl)
    roles = []
    for host, given in sorted(hosts.items()):
        found, left = _fold_host(principal, host, given)
        roles += found
        rest += left
    return roles, sorted(rest)


def _fold_host(principal: str, host: str, given: set[Acl]) -> tuple[list[dict[str, Any]], set[Acl]]:
    """Roles of a principal for one client address, and the remaining ACLs."""
    operations: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for acl in given:
        operations[acl.resource_type, acl.resource, acl.pattern].add(acl.operation)

    def having(resource_type: str, *wanted: str) -> list[str]:
        return sorted(
            format_resource(name, pattern)
            for (kind, name, pattern), found in operations.items()
            if kind == resource_type
            and found >= set(wanted)
            and _is_readable(kind, name, pattern)
            and not (name == ALL and "all" in found)
        )

    groups = having("group", "read")
    candidates: list[dict[str, Any]] = [{"admin": {"cluster": True}}]
    for name in groups:
        application: dict[str, Any] = {"application": name}
        candidates += [{"streams": {**application, "exactly_once": True}}, {"streams": application}]
    writes = having("topic", "write", "describe")
    ids = having("transactional_id", "write", "describe")
    if writes:
        # Transactional ids go with write access; those of streams have a prefix.
        own = {"transactional_id": _short(ids)} if ids else {}
        limited = having("topic", "write", "describe", "describe_configs")
        for topics, limits in ((limited, {"limits": True}), (writes, {})):
            for extra in ({"idempotent": True}, {}) if topics else ():
                keys = {"topic": _short(topics), **own, **extra, **limits}
                candidates.append({"producer": keys})
    limited_reads = having("topic", "read", "describe", "describe_configs")
    reads = having("topic", "read", "describe")
    for topics, limits in ((limited_reads, {"limits": True}), (reads, {})):
        if topics and groups:
            keys = {"topic": _short(topics), "group": _short(groups), **limits}
            candidates.append({"consumer": keys})
    if seen := having("topic", *DESCRIBE):
        watched = having("group", "describe")
        keys = {"topic": _short(seen), **({"group": _short(watched)} if watched else {})}
        candidates.append({"observer": keys})
    if managed := having("topic", *MANAGE):
        candidates.append({"admin": {"topic": _short(managed)}})
    return _choose(principal, host, given, candidates)


def _choose(
    principal: str, host: str, given: set[Acl], candidates: Iterable[dict[str, Any]]
) -> tuple[list[dict[str, Any]], set[Acl]]:
    """Return the candidates that cover remaining ACLs and no others, and the uncovered ACLs."""
    chosen: list[dict[str, Any]] = []
    left = set(given)
    for candidate in candidates:
        ((role, keys),) = candidate.items()
        full = {role: keys if host == ANYWHERE else {**keys, "host": host}}
        reader = Reader()
        acls = read_role(reader, "", principal, full)
        if not reader.faults and acls <= given and acls & left:
            chosen.append({role: _shortest(role, full[role])})
            left -= acls
    return chosen, left


def _is_readable(kind: str, name: str, pattern: str) -> bool:
    """Whether reading the written form of a resource returns the same resource."""
    return read_resource(Reader(), "", format_resource(name, pattern), kind) == (name, pattern)


def _short(names: list[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else names


def _shortest(role: str, keys: Mapping[str, Any]) -> Any:
    """A role's keys, or only the value of its main key if it has no other."""
    return keys[SHORT[role]] if list(keys) == [SHORT.get(role)] else dict(keys)
