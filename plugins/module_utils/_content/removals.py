# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Pure functions that add removals of undeclared, earlier applied content to the desired content.

Each function takes the desired content of a kind, its applied state and the permission to remove.
It returns the desired content with the removals, the applied state to store after a successful
run, and messages on content that is kept. Raises RemovalError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._kafka.scram import Key
from . import acls, quotas, topic_model, user_model
from .applied_state import Permission, select_removals


@dataclass(frozen=True, order=True)
class Part:
    """A part of applied content: a key of a topic or quota, or a mechanism of a user."""

    owner: Any
    name: str

    def __str__(self) -> str:
        """Return a short form for messages."""
        return f"{self.owner}: {self.name}"


def parts_in_state(state: Mapping[Any, Sequence[str]]) -> set[Part]:
    """Return the parts in an applied state."""
    return {Part(owner, str(name)) for owner, names in state.items() for name in names or ()}


def names_by_owner(parts: set[Part]) -> dict[Any, list[str]]:
    """Return the names of parts by owner."""
    owners = sorted({part.owner for part in parts})
    return {owner: sorted(p.name for p in parts if p.owner == owner) for owner in owners}


def with_topic_removals(
    desired: Sequence[topic_model.Spec],
    state: Any,
    permission: Permission,
    absent: Collection[str] = (),
) -> tuple[list[topic_model.Spec], dict[str, list[str]], list[str]]:
    """Return the desired topics, with undeclared keys reset to the default.

    Topics are never removed; those to delete are ``absent``.
    """
    applied = parts_in_state(state or {})
    declared = {Part(each.name, key) for each in desired for key in each.config}
    names = {each.name for each in desired}
    ours = {part for part in applied if part.owner in names}
    obsolete, kept = select_removals("topics", ours, ours - declared, permission)
    reset: dict[str, set[str]] = {}
    for part in obsolete:
        reset.setdefault(part.owner, set()).add(part.name)
    wanted = [
        replace(each, defaults=each.defaults | reset.get(each.name, set())) for each in desired
    ]
    undeclared = sorted({part.owner for part in applied - ours} - {*absent})
    kept += [
        f"topic {name}: no longer declared, kept with its records; to delete it, add it to "
        "kafka_content_absent.topics and kafka_content_confirm_delete"
        for name in undeclared
    ]
    return wanted, names_by_owner((applied | declared) - obsolete), kept


def with_user_removals(
    desired: user_model.Specs, state: Any, permission: Permission
) -> tuple[user_model.Specs, dict[str, list[str]], list[str]]:
    """Return the desired users, with removals of undeclared users and mechanisms."""
    applied = parts_in_state(state or {})
    declared = {Part(each.name, name) for each in desired.users for name in each.mechanisms}
    obsolete, kept = select_removals("users", applied, applied - declared, permission)
    withdrawn = tuple(sorted(Key(part.owner, part.name) for part in obsolete))
    left = {part for part in (applied | declared) - obsolete if part.owner not in desired.absent}
    return replace(desired, withdrawn=withdrawn), names_by_owner(left), kept


def with_acl_removals(
    desired: acls.Specs, state: Any, permission: Permission
) -> tuple[acls.Specs, list[dict[str, str]], list[str]]:
    """Return the desired ACLs, with removals of undeclared ones.

    These include the ACLs of a role that a declared user lost.
    """
    applied = {acls.parse_acl(fields) for fields in state or ()}
    obsolete, kept = select_removals("acls", applied, applied - desired.acls, permission)
    left = {
        acl
        for acl in (applied | desired.acls) - obsolete - desired.absent
        if acl.principal not in desired.absent_principals
    }
    wanted = replace(desired, absent=desired.absent | obsolete)
    return wanted, [acls.acl_fields(acl) for acl in sorted(left)], kept


def with_quota_removals(
    desired: quotas.Specs, state: Any, permission: Permission
) -> tuple[quotas.Specs, list[dict[str, Any]], list[str]]:
    """Return the desired quotas, with removals of undeclared keys.

    A quota without keys is deleted.
    """
    applied = {
        Part(quotas.Entity(**{name: each.get(name, "") for name in ("user", "client", "ip")}), key)
        for each in state or ()
        for key in each["keys"]
    }
    declared = {Part(entity, key) for entity, values in desired.quotas.items() for key in values}
    obsolete, kept = select_removals("quotas", applied, applied - declared, permission)
    absent = dict(desired.absent)
    for entity, keys in names_by_owner(set(obsolete)).items():
        # An entity under absent without keys already covers all keys.
        if entity not in absent or absent[entity]:
            absent[entity] = frozenset(keys) | absent.get(entity, frozenset())
    left = names_by_owner({*declared, *(applied - obsolete)})
    kept_state = [
        {**{name: getattr(entity, name) for name in ("user", "client", "ip")}, "keys": keys}
        for entity, keys in left.items()
        if entity not in desired.absent and entity.user not in desired.absent_users
    ]
    return replace(desired, absent=absent), kept_state, kept
